import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

const place = {
  ref: Type.Optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      description: 'A branch, a tag or a commit; without it, the default branch.',
    }),
  ),
  base_path: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'The folder that is worked in, relative to the root.' }),
  ),
}

/** Source of a step's files. */
export const Source = Type.Union(
  [
    Type.Object(
      { code_source_id: Type.String({ minLength: 1, description: 'A connected repository.' }), ...place },
      { ...closed, description: 'A repository that is connected as a code source.' },
    ),
    Type.Object(
      { repo: Type.String({ minLength: 1, description: 'Its address, by https.' }), ...place },
      { ...closed, description: 'A public repository.' },
    ),
    Type.Object(
      {
        files: Type.Record(Type.String(), Type.String(), { description: 'Contents by path, unchanged.' }),
        base_path: place.base_path,
      },
      { ...closed, description: 'Files as part of the configuration.' },
    ),
  ],
  { description: 'Where the files come from.' },
)
export type Source = Static<typeof Source>

/** Reference to a stored variable in the step's cloud account. */
const KeptVariable = Type.Union(
  [
    Type.Object({ from_parameter_store: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
    Type.Object({ from_secrets_manager: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
  ],
  { description: 'The name or the ARN of a parameter or a secret in the cloud account; read when an attempt begins.' },
)
export type KeptVariable = Static<typeof KeptVariable>

/** Environment variables of the IaC tool. */
export const IacEnvironmentVariables = Type.Record(
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), KeptVariable]),
  { ...closed, description: 'Environment variables; null means not set.' },
)

export const EnvironmentVariables = Type.Record(
  Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  { ...closed, description: 'Environment variables; null means not set.' },
)
