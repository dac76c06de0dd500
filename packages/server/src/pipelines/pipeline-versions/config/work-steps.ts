import { Type } from 'typebox'
import { EnvironmentVariables, Source } from './source.ts'

const closed = { additionalProperties: false } as const
const inputs = Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Its inputs.' }))

/** Returns the properties that identify a module instance. */
const instance = (what: string) => ({
  module_instance_id: Type.Optional(Type.String({ minLength: 1, description: `What is ${what}, by its id.` })),
  module_instance: Type.Optional(
    Type.String({ minLength: 1, description: "Or by its givenId, in `environment` of the pipeline's project." }),
  ),
  environment: Type.Optional(Type.String({ minLength: 1, description: 'The givenId of the environment.' })),
})

const artifactName = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })

/** Maximum number of artifacts that a step uploads, and that it downloads. */
const maxArtifacts = 10

const Artifacts = Type.Object(
  {
    upload: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: artifactName('Unique within the run. Steps of a matrix need a name of their own each.'),
            paths: Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
              minItems: 1,
              maxItems: 100,
              description:
                'Files and folders, relative to the working directory. * matches any part of a name but /, and ? one character.',
              examples: [['dist', 'reports/*.xml']],
            }),
          },
          { ...closed, description: 'Files that later steps can download.' },
        ),
        { minItems: 1, maxItems: maxArtifacts, description: 'Uploaded when the step succeeds.' },
      ),
    ),
    download: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: artifactName('Name that an earlier step uploads.'),
            path: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 1_000,
                default: '.',
                description: 'Folder for the files, relative to the working directory.',
              }),
            ),
          },
          { ...closed, description: 'Files of an earlier step.' },
        ),
        { minItems: 1, maxItems: maxArtifacts, description: 'Downloaded before the program starts.' },
      ),
    ),
  },
  { ...closed, minProperties: 1, description: 'Files that steps of a run pass to later ones.' },
)

/** Schemas of `with` for all steps other than IaC steps, by type. */
export const workStepConfigs = {
  approval: Type.Object({}, { ...closed, description: 'Waits until a person decides.' }),
  deploy: Type.Object(
    {
      ...instance('deployed'),
      description: Type.Optional(Type.String({ maxLength: 10_000, description: 'Of the deployment.' })),
      inputs,
      until: Type.Optional(
        Type.Enum(['completed', 'paused'], {
          default: 'completed',
          description: 'When the step has succeeded: `paused` leaves the new version at standby for a deploy-swap.',
        }),
      ),
    },
    { ...closed, description: 'Deploys a module instance, and ends with the deployment.' },
  ),
  'deploy-swap': Type.Object(
    {
      deploy: Type.Optional(
        Type.String({ minLength: 1, description: 'Id of the deploy step; without it, the nearest before.' }),
      ),
    },
    { ...closed, description: 'Lets the deployment that an earlier step left at standby take over production.' },
  ),
  build: Type.Object(
    {
      ...instance('built'),
      source: Type.Optional(Source),
      inputs,
      environment_variables: Type.Optional(EnvironmentVariables),
      force: Type.Optional(
        Type.Union([Type.Boolean(), Type.String()], {
          default: false,
          description: 'Whether it is built even where the same was built before.',
        }),
      ),
    },
    {
      ...closed,
      description:
        'Builds what a module instance releases, as its module says, and publishes it where deployments find it.',
    },
  ),
  command: Type.Object(
    {
      argv: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description: 'The program and its arguments, passed on as they are.',
        }),
      ),
      shell: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Or a script for `sh`, without templates: pass values in environment variables.',
        }),
      ),
      source: Type.Optional(Source),
      working_directory: Type.Optional(Type.String({ description: 'Relative to the base path of the source.' })),
      environment_variables: Type.Optional(EnvironmentVariables),
      artifacts: Type.Optional(Artifacts),
    },
    {
      ...closed,
      description: 'Runs a program in a clean environment. What it writes as JSON to $SLUICE_OUTPUT is its output.',
    },
  ),
  http: Type.Object(
    {
      method: Type.Optional(
        Type.Enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'GET', description: 'Method.' }),
      ),
      url: Type.String({ minLength: 1, description: 'http or https.' }),
      headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Headers.' })),
      body: Type.Optional(Type.Unknown({ description: 'Text is sent unchanged, anything else as JSON.' })),
      expect_status: Type.Optional(
        Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
          minItems: 1,
          description: 'Without it, 200 to 299.',
        }),
      ),
    },
    { ...closed, description: 'Sends a request; its answer is the output.' },
  ),
  pipeline: Type.Object(
    {
      pipeline_id: Type.Optional(Type.String({ minLength: 1, description: 'What is run, by its id.' })),
      pipeline: Type.Optional(Type.String({ minLength: 1, description: 'Or by its givenId in the same project.' })),
      inputs,
    },
    { ...closed, description: 'Runs another pipeline, and ends as its run does.' },
  ),
} as const
