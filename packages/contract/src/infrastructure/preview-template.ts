import { type Static, type TSchema, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const Globs = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200, description: 'A glob.' }), {
    minItems: 1,
    maxItems: 50,
    description,
    examples: [['main', 'release/*']],
  })

const given = {
  branches: Type.Optional(Globs('Of pull requests into these branches, as globs. Absent: into any.')),
  paths: Type.Optional(Globs('Of pull requests that change one of these files, as globs. Absent: of any.')),
  instances: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100, description: 'The givenId of a module instance.' }), {
      minItems: 1,
      maxItems: 50,
      description:
        'The instances of the template environment that are copied; what they refer to comes along. Absent: all.',
    }),
  ),
  inputs: Type.Record(
    Type.String({ minLength: 1, maxLength: 100 }),
    Type.Record(Type.String(), Type.Unknown(), { description: 'Inputs of the instance.' }),
    {
      description:
        'What is another input in a copy, by the givenId of the instance. Templates read `pull_request` (number, branch, commit) and `environment` (id, given_id).',
      examples: [{ web: { image_tag: '<< pull_request.commit >>' } }],
    },
  ),
  pipelineId: Type.Optional({
    ...Id,
    description: 'A pipeline of the project that runs once the infrastructure stands: it builds and releases.',
  }),
  pipelineInputs: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What the run of the pipeline is given. Templates read the same as those of `inputs`.',
    examples: [{ environment: '<< environment.given_id >>', commit: '<< pull_request.commit >>' }],
  }),
  namePattern: Type.String({
    pattern: '^(?:[a-z0-9][a-z0-9-]{0,39})?\\{number\\}(?:[a-z0-9-]{0,9}[a-z0-9])?$',
    description: 'What the environments are called: `{number}` is the number of the pull request.',
    examples: ['pr-{number}'],
  }),
  lifetimeHours: Type.Integer({
    minimum: 1,
    maximum: 2_160,
    description: 'So long after the latest push it is torn down, unless somebody extends it. Hours.',
  }),
  mostInProject: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'Where the project has so many preview environments, a further one waits until one is gone.',
  }),
  allowsForks: Type.Boolean({
    description:
      'Whether pull requests from forks get one: anybody can make one, and what is built of it runs with your secrets.',
  }),
}

export const PreviewTemplate = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: { ...Id, description: 'The template environment, which is copied.' },
    codeSourceId: { ...Id, description: 'The repository whose pull requests get preview environments.' },
    ...given,
    writtenBy: Type.String({ description: 'Who made it or changed it last: it acts by the rights of that one.' }),
  },
  { ...closed, description: 'How pull requests of a repository get environments of their own.' },
)
export type PreviewTemplate = Static<typeof PreviewTemplate>

const optional = {
  ...given,
  inputs: Type.Optional({
    ...given.inputs,
    description: 'What is another input in a copy, by the givenId of the instance. Absent: nothing.',
  }),
  pipelineInputs: Type.Optional({
    ...given.pipelineInputs,
    description: 'What the run of the pipeline is given. Absent: nothing.',
  }),
  namePattern: Type.Optional({ ...given.namePattern, description: 'What they are called. Absent: `pr-{number}`.' }),
  lifetimeHours: Type.Optional({ ...given.lifetimeHours, description: 'Hours after the latest push. Absent: 72.' }),
  mostInProject: Type.Optional({ ...given.mostInProject, description: 'How many a project has. Absent: 10.' }),
  allowsForks: Type.Optional({ ...given.allowsForks, description: 'Whether forks get one. Absent: false.' }),
}

export const CreatePreviewTemplate = Type.Object(
  {
    projectId: Id,
    environmentId: { ...Id, description: 'The template environment, of the same project.' },
    codeSourceId: Id,
    ...optional,
  },
  { ...closed, description: 'A new template for preview environments.' },
)
export type CreatePreviewTemplate = Static<typeof CreatePreviewTemplate>

const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }))

export const UpdatePreviewTemplate = Type.Object(
  {
    ...optional,
    branches: orNull(given.branches, 'Into these branches; null: into any.'),
    paths: orNull(given.paths, 'That change one of these files; null: any.'),
    instances: orNull(given.instances, 'The givenIds of those that are copied; null: all.'),
    pipelineId: orNull(Id, 'The pipeline that builds and releases; null: none.'),
  },
  { ...closed, description: 'Changes to a template; they count from the next push on. What is left out stays.' },
)
export type UpdatePreviewTemplate = Static<typeof UpdatePreviewTemplate>
