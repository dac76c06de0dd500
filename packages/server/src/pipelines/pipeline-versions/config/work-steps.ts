import {
  ComposedScenario,
  maxRehearsalFaults,
  maxRehearsalScenarios,
  RehearsalFault,
  RehearsalScenarioName,
} from '@sluice/contract'
import { Type } from 'typebox'
import { EnvironmentVariables, Source } from './source.ts'

const closed = { additionalProperties: false } as const
const inputs = Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Input values.' }))

/** Returns the properties that identify a module instance. */
const instance = (what: string) => ({
  module_instance_id: Type.Optional(
    Type.String({ minLength: 1, description: `ID of the module instance that is ${what}.` }),
  ),
  module_instance: Type.Optional(
    Type.String({
      minLength: 1,
      description: '`givenId` of the module instance in `environment`, instead of `module_instance_id`.',
    }),
  ),
  environment: Type.Optional(
    Type.String({ minLength: 1, description: "`givenId` of an environment of the pipeline's project." }),
  ),
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
                'Files and folders, relative to the working directory. * matches any characters except /, and ? matches one.',
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
  { ...closed, minProperties: 1, description: 'Files that steps pass to later steps of the run.' },
)

const { type: faultType, trafficPercent, afterSeconds } = RehearsalFault.properties

const StepScenario = Type.Object(
  {
    name: ComposedScenario.properties.name,
    faults: Type.Array(
      Type.Object(
        { type: faultType, traffic_percent: trafficPercent, after_seconds: afterSeconds },
        { ...closed, description: 'Fault of a composed scenario.' },
      ),
      { minItems: 1, maxItems: maxRehearsalFaults, description: 'Faults, each type at most once.' },
    ),
  },
  { ...closed, description: 'Scenario that combines faults, or that sets when they occur.' },
)

/** Schemas of `with` for all steps other than IaC steps, by type. */
export const workStepConfigs = {
  approval: Type.Object({}, { ...closed, description: 'Waits for an approval.' }),
  deploy: Type.Object(
    {
      ...instance('deployed'),
      description: Type.Optional(Type.String({ maxLength: 10_000, description: 'Description of the deployment.' })),
      inputs,
      until: Type.Optional(
        Type.Enum(['completed', 'paused'], {
          default: 'completed',
          description: 'When the step succeeds. `paused` leaves the new version on standby for a `deploy-swap` step.',
        }),
      ),
    },
    { ...closed, description: 'Deploys a module instance, and ends when the deployment ends.' },
  ),
  rehearse: Type.Object(
    {
      ...instance('rehearsed'),
      inputs,
      scenarios: Type.Optional(
        Type.Array(Type.Union([RehearsalScenarioName, StepScenario]), {
          minItems: 1,
          maxItems: maxRehearsalScenarios - 1,
          description: 'Scenarios to run besides NO_FAULT: names, or composed ones. Default: all predefined ones.',
        }),
      ),
    },
    {
      ...closed,
      description:
        'Rehearses what a `deploy` step with the same values would release, and fails unless the release would succeed.',
    },
  ),
  'deploy-swap': Type.Object(
    {
      deploy: Type.Optional(
        Type.String({ minLength: 1, description: 'ID of the `deploy` step. Default: the nearest one before.' }),
      ),
    },
    { ...closed, description: 'Shifts production traffic to the deployment that an earlier step left on standby.' },
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
          description: 'Whether to build even if the same content was built before.',
        }),
      ),
    },
    {
      ...closed,
      description:
        'Builds the artifact of a module instance as its module describes, and publishes it for deployments.',
    },
  ),
  command: Type.Object(
    {
      argv: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          description: 'Program and arguments, executed without a shell.',
        }),
      ),
      shell: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Script for `sh`, instead of `argv`. It cannot contain templates: pass values in environment variables.',
        }),
      ),
      source: Type.Optional(Source),
      working_directory: Type.Optional(
        Type.String({ description: 'Working directory, relative to the base path of the source.' }),
      ),
      environment_variables: Type.Optional(EnvironmentVariables),
      artifacts: Type.Optional(Artifacts),
    },
    {
      ...closed,
      description:
        'Runs a program in a clean environment. JSON that it writes to the file $SLUICE_OUTPUT becomes the output.',
    },
  ),
  http: Type.Object(
    {
      method: Type.Optional(
        Type.Enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'GET', description: 'HTTP method.' }),
      ),
      url: Type.String({ minLength: 1, description: 'Address, with http or https.' }),
      headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Request headers.' })),
      body: Type.Optional(Type.Unknown({ description: 'Request body. Text is sent unchanged, other values as JSON.' })),
      expect_status: Type.Optional(
        Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), {
          minItems: 1,
          description: 'Expected status codes. Default: 200 to 299.',
        }),
      ),
    },
    { ...closed, description: 'Sends an HTTP request. The response becomes the output.' },
  ),
  pipeline: Type.Object(
    {
      pipeline_id: Type.Optional(Type.String({ minLength: 1, description: 'ID of the pipeline to run.' })),
      pipeline: Type.Optional(
        Type.String({
          minLength: 1,
          description: '`givenId` of a pipeline in the same project, instead of `pipeline_id`.',
        }),
      ),
      inputs,
    },
    { ...closed, description: 'Runs another pipeline, and ends with the status of that run.' },
  ),
} as const
