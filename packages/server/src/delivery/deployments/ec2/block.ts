import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { faultsOf } from '../../../platform/http/faults.ts'
import { present } from '../../../platform/present.ts'
import type { ReadBlock } from '../kind.ts'
import type { Ec2Definition } from './release.ts'
import type { Ec2Standing } from './standing.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
/** What the other runtime has, which a template may leave blank. */
const Blank = Type.Optional(Type.Null())

const Definition = Type.Union([
  Type.Object({ runtime: Type.Literal('container'), image_uri: Text, commands: Blank }, closed),
  Type.Object(
    { runtime: Type.Literal('manual'), commands: Type.Array(Type.String(), { minItems: 1 }), image_uri: Blank },
    closed,
  ),
])

const Infrastructure = Type.Object(
  {
    // The document `<group>-deploy` and the parameter of the group take no other characters.
    autoscaling_group_name: Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,120}$' }),
    cloud_account_id: Text,
    region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]$' }),
    log_group_name: orNull(Text),
    // The command document drains and registers instances by itself.
    target_group_arn: orNull(Text),
  },
  closed,
)

const Strategy = Type.Object(
  {
    type: Type.Literal('rolling'),
    // The cloud's own words for them, MaxConcurrency and MaxErrors, take the same.
    concurrency_max: orNull(Type.String({ pattern: '^([1-9][0-9]{0,6}|[1-9][0-9]?%|100%)$' })),
    errors_max: orNull(Type.String({ pattern: '^(0|[1-9][0-9]{0,6}|[1-9]?[0-9]%|100%)$' })),
    automatic_rollback: orNull(Type.Boolean()),
  },
  closed,
)

const Source = Type.Object(
  {
    type: Type.Literal('git'),
    repo: Text,
    branch: orNull(Type.String()),
    ref: orNull(Type.String()),
    base_path: orNull(Type.String()),
  },
  closed,
)

/** The `deploy` block of a group of machines, rendered. Keys are those of module authors. */
const Ec2Deploy = Type.Object(
  {
    type: Type.Literal('cloud:ec2'),
    timeout: Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000 })),
    concurrency: Type.Optional(Type.Unknown()),
    infrastructure: Infrastructure,
    definition: Definition,
    strategy: orNull(Strategy),
    source: orNull(Source),
  },
  closed,
)
type Ec2Deploy = Static<typeof Ec2Deploy>

// Compiled, checking takes a tenth of the time.
const reader = Compile(Ec2Deploy)

/** A release is written down for instances that start later, where the cloud takes 8 KiB; the rest is for its frame. */
const mostBytes = 8_192 - 256

/** Turns a rendered deploy block into the release, or tells everything that is wrong with it, each with its path. */
export function readEc2Block(rendered: unknown): ReadBlock<Ec2Standing> {
  const faults = faultsOf(reader, rendered, 'deploy')
  if (faults.length > 0) return { faults }
  const deploy = rendered as Ec2Deploy
  const { infrastructure, strategy } = deploy
  const definition = definitionOf(deploy)
  if (Buffer.byteLength(JSON.stringify(definition)) > mostBytes) {
    const why = 'which is what can be written down for instances that start later'
    return { faults: [`deploy.definition: expected less than 8 KB, ${why}`] }
  }
  return {
    cloudAccountId: infrastructure.cloud_account_id,
    release: present({
      type: 'cloud:ec2' as const,
      region: infrastructure.region,
      autoScalingGroupName: infrastructure.autoscaling_group_name,
      logGroupName: infrastructure.log_group_name ?? undefined,
      definition,
      // One at a time, and stop at the first failure: what the language promises where nothing is said.
      concurrencyMax: strategy?.concurrency_max ?? '1',
      errorsMax: strategy?.errors_max ?? '0',
      automaticRollback: strategy?.automatic_rollback ?? false,
      timeoutSeconds: deploy.timeout ?? 86_400,
    }),
  }
}

function definitionOf({ definition, source }: Ec2Deploy): Ec2Definition {
  if (definition.runtime === 'container') return { runtime: 'container', imageUri: definition.image_uri }
  const { commands } = definition
  if (!source) return { runtime: 'manual', commands }
  const { repo, branch, ref, base_path } = source
  // Empty is what a form left blank says; it means the same as nothing.
  const parts = { branch: branch || undefined, ref: ref || undefined, basePath: base_path || undefined }
  return { runtime: 'manual', commands, source: { repo, ...present(parts) } }
}
