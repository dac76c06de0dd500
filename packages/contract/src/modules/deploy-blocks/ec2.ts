import { type Static, Type } from 'typebox'
import { closed, type DeployBlockDescription, deployBlock, type Rule, text, withDefault } from './description.ts'

const Infrastructure = Type.Object(
  {
    // The names of the document `<group>-deploy` and of the group's parameter allow no other characters.
    autoscaling_group_name: Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,120}$', examples: ['shop-workers'] }),
    cloud_account_id: text('ID of the cloud account that contains the group.'),
    region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]$', examples: ['eu-west-1'] }),
    log_group_name: Type.Optional(text('Log group to which instances write, for display.')),
    target_group_arn: Type.Optional(
      text('ARN of the target group, for display. The command document deregisters and registers instances itself.'),
    ),
  },
  { ...closed, description: 'Auto-scaling group to deploy to.' },
)

const Definition = Type.Object(
  {
    runtime: Type.Enum(['container', 'manual'], { description: 'Whether instances run an image or commands.' }),
    image_uri: Type.Optional(text('Image to run.')),
    commands: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'Lines of one script.' })),
  },
  { ...closed, description: 'Release.' },
)

// Same syntax as MaxConcurrency and MaxErrors in the cloud. Defaults to one instance at a time, stopping at the first
// failure.
const Strategy = Type.Object(
  {
    type: Type.Enum(['rolling'], { description: 'Updates instances in batches.' }),
    concurrency_max: withDefault(
      Type.String({
        pattern: '^([1-9][0-9]{0,6}|[1-9][0-9]?%|100%)$',
        examples: ['25%'],
        description: 'Number or percentage of instances to update at a time, as a string.',
      }),
      '1',
    ),
    errors_max: withDefault(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,6}|[1-9]?[0-9]%|100%)$',
        examples: ['10%'],
        description: 'Number or percentage of instances that can fail, as a string.',
      }),
      '0',
    ),
    automatic_rollback: withDefault(
      Type.Boolean({ description: 'Whether to roll back to the previous release if the deployment fails.' }),
      false,
    ),
  },
  closed,
)

const Source = Type.Object(
  {
    type: Type.Enum(['git']),
    repo: text('URL of the repository.'),
    branch: Type.Optional(Type.String()),
    ref: Type.Optional(Type.String()),
    base_path: Type.Optional(Type.String()),
  },
  { ...closed, description: 'Repository that instances check out for the commands of the manual runtime.' },
)

/** The `deploy` block of an auto-scaling group. */
export const Ec2Deploy = deployBlock('cloud:ec2', 86_400, {
  infrastructure: Infrastructure,
  definition: Definition,
  strategy: withDefault(Strategy, { type: 'rolling' }),
  source: Type.Optional(Source),
})
export type Ec2Deploy = Static<typeof Ec2Deploy>

/** Maximum size of a stored release in bytes. The cloud's limit is 8 KiB; the rest is reserved for the envelope. */
const maxReleaseBytes = 8_192 - 256

const rules: readonly Rule<Ec2Deploy>[] = [
  ({ definition: { runtime, image_uri } }) =>
    runtime === 'container' && image_uri === undefined
      ? [{ path: '.definition.image_uri', must: 'is required for a container' }]
      : [],
  ({ definition: { runtime, commands } }) =>
    runtime === 'container' && commands !== undefined
      ? [{ path: '.definition.commands', must: 'must be absent: the image defines what a container runs' }]
      : [],
  ({ definition: { runtime, commands } }) =>
    runtime === 'manual' && commands === undefined
      ? [{ path: '.definition.commands', must: 'is required for the manual runtime' }]
      : [],
  ({ definition: { runtime, image_uri } }) =>
    runtime === 'manual' && image_uri !== undefined
      ? [{ path: '.definition.image_uri', must: 'must be absent: the manual runtime runs commands' }]
      : [],
  ({ definition, source }) =>
    new TextEncoder().encode(JSON.stringify({ ...definition, source })).length > maxReleaseBytes
      ? [
          {
            path: '.definition',
            must: 'must be smaller than 8 KB, the limit for releases stored for instances that start later',
          },
        ]
      : [],
]

export const ec2Deploy = { schema: Ec2Deploy, rules } as const satisfies DeployBlockDescription<Ec2Deploy>
