import { type Static, Type } from 'typebox'
import { closed, type DeployBlockDescription, deployBlock, otherwise, type Rule, text } from './description.ts'

const Infrastructure = Type.Object(
  {
    // The document `<group>-deploy` and the parameter of the group take no other characters.
    autoscaling_group_name: Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,120}$', examples: ['shop-workers'] }),
    cloud_account_id: text('The cloud account that the group is in, by its id here.'),
    region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]$', examples: ['eu-west-1'] }),
    log_group_name: Type.Optional(text('Where instances write what they do, for people.')),
    target_group_arn: Type.Optional(text('For people: the command document drains and registers by itself.')),
  },
  { ...closed, description: 'The group of machines.' },
)

const Definition = Type.Object(
  {
    runtime: Type.Enum(['container', 'manual'], { description: 'Whether instances run an image, or commands.' }),
    image_uri: Type.Optional(text('The image.')),
    commands: Type.Optional(Type.Array(Type.String(), { minItems: 1, description: 'One script, line by line.' })),
  },
  { ...closed, description: 'What is released.' },
)

// The cloud's own words for them, MaxConcurrency and MaxErrors, take the same. Where nothing is said: one at a time,
// and stop at the first failure.
const Strategy = Type.Object(
  {
    type: Type.Enum(['rolling'], { description: 'Instance after instance.' }),
    concurrency_max: otherwise(
      Type.String({
        pattern: '^([1-9][0-9]{0,6}|[1-9][0-9]?%|100%)$',
        examples: ['25%'],
        description: 'How many instances at a time: a number or a share, as text.',
      }),
      '1',
    ),
    errors_max: otherwise(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,6}|[1-9]?[0-9]%|100%)$',
        examples: ['10%'],
        description: 'How many may fail: a number or a share, as text.',
      }),
      '0',
    ),
    automatic_rollback: otherwise(
      Type.Boolean({ description: 'Whether the release before comes back when this one fails.' }),
      false,
    ),
  },
  closed,
)

const Source = Type.Object(
  {
    type: Type.Enum(['git']),
    repo: text('Address of the repository.'),
    branch: Type.Optional(Type.String()),
    ref: Type.Optional(Type.String()),
    base_path: Type.Optional(Type.String()),
  },
  { ...closed, description: 'What instances check out for the commands of the manual runtime.' },
)

/** The `deploy` block of a group of machines. */
export const Ec2Deploy = deployBlock('cloud:ec2', 86_400, {
  infrastructure: Infrastructure,
  definition: Definition,
  strategy: otherwise(Strategy, { type: 'rolling' }),
  source: Type.Optional(Source),
})
export type Ec2Deploy = Static<typeof Ec2Deploy>

/** A release is written down for instances that start later, where the cloud takes 8 KiB; the rest is for its frame. */
const mostBytes = 8_192 - 256

const rules: readonly Rule<Ec2Deploy>[] = [
  ({ definition: { runtime, image_uri } }) =>
    runtime === 'container' && image_uri === undefined
      ? [{ path: '.definition.image_uri', must: 'is needed for a container' }]
      : [],
  ({ definition: { runtime, commands } }) =>
    runtime === 'container' && commands !== undefined
      ? [{ path: '.definition.commands', must: 'must be absent: a container runs what its image says' }]
      : [],
  ({ definition: { runtime, commands } }) =>
    runtime === 'manual' && commands === undefined
      ? [{ path: '.definition.commands', must: 'is needed for the manual runtime' }]
      : [],
  ({ definition: { runtime, image_uri } }) =>
    runtime === 'manual' && image_uri !== undefined
      ? [{ path: '.definition.image_uri', must: 'must be absent: the manual runtime runs commands' }]
      : [],
  ({ definition, source }) =>
    new TextEncoder().encode(JSON.stringify({ ...definition, source })).length > mostBytes
      ? [
          {
            path: '.definition',
            must: 'must have less than 8 KB, which is what can be written down for instances that start later',
          },
        ]
      : [],
]

export const ec2Deploy = { schema: Ec2Deploy, rules } as const satisfies DeployBlockDescription<Ec2Deploy>
