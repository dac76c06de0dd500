import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

const place = {
  ref: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      description: 'Branch, tag or commit. Default: the default branch.',
    }),
  ),
  base_path: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Folder to work in, relative to the root.' }),
  ),
}

/** Source of a step's files. */
export const Source = Type.Union(
  [
    Type.Object(
      { code_source_id: Type.String({ minLength: 1, description: 'ID of the code source.' }), ...place },
      { ...closed, description: 'Repository that is connected as a code source.' },
    ),
    Type.Object(
      { repo: Type.String({ minLength: 1, description: 'HTTPS address of the repository.' }), ...place },
      { ...closed, description: 'Public repository.' },
    ),
    Type.Object(
      {
        files: Type.Record(Type.String(), Type.String(), {
          description: 'Content of each file by path; not rendered as a template.',
        }),
        base_path: place.base_path,
      },
      { ...closed, description: 'Files within the configuration.' },
    ),
  ],
  { description: 'Source of the files.' },
)
export type Source = Static<typeof Source>

/** Reference to a stored variable in the step's cloud account. */
const KeptVariable = Type.Union(
  [
    Type.Object({ from_parameter_store: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
    Type.Object({ from_secrets_manager: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
  ],
  { description: 'Name or ARN of a parameter or secret in the cloud account, read when an attempt starts.' },
)
export type KeptVariable = Static<typeof KeptVariable>

/** Environment variables of the IaC tool. */
export const IacEnvironmentVariables = Type.Record(
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), KeptVariable]),
  { ...closed, description: 'Environment variables. null leaves a variable unset.' },
)

export const EnvironmentVariables = Type.Record(
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  { ...closed, description: 'Environment variables. null leaves a variable unset.' },
)
