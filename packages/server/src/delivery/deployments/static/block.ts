import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { DistributionRef } from '../../../cloud/facts/static.ts'
import { faultsOf } from '../../../platform/http/faults.ts'
import { present } from '../../../platform/present.ts'
import type { ReadBlock } from '../kind.ts'
import type { StaticStanding } from './standing.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1 })

/** The `deploy` block of a static site, rendered. Keys are those of module authors. */
const StaticDeploy = Type.Object(
  {
    type: Type.Literal('cloud:static'),
    inputs: Type.Optional(Type.Array(Type.Unknown())),
    timeout: Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000 })),
    concurrency: Type.Optional(Type.Unknown()),
    infrastructure: Type.Object(
      {
        s3_bucket: Text,
        s3_region: Text,
        cdn_distribution_arns: Type.Array(Text, { minItems: 1, maxItems: 20 }),
        cdn_keyvaluestore_arn: Text,
      },
      closed,
    ),
    definition: Type.Object(
      {
        s3_directory: Text,
        // The content network takes 3,000 paths at a time.
        cdn_invalidation_paths: Type.Optional(Type.Union([Type.Array(Text, { maxItems: 3_000 }), Type.Null()])),
        keep_latest_successful_deploy_count: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
      },
      closed,
    ),
  },
  closed,
)
type StaticDeploy = Static<typeof StaticDeploy>

// Compiled, checking takes a tenth of the time.
const reader = Compile(StaticDeploy)

/** Turns a rendered deploy block into the release, or tells everything that is wrong with it, each with its path. */
export function readStaticBlock(rendered: unknown): ReadBlock<StaticStanding> {
  const faults = faultsOf(reader, rendered, 'deploy')
  if (faults.length > 0) return { faults }
  const { infrastructure, definition, timeout } = rendered as StaticDeploy
  const paths = definition.cdn_invalidation_paths ?? []
  const [primary, ...more] = infrastructure.cdn_distribution_arns.flatMap((arn) => distributionOf(arn) ?? [])
  const wrong = [...placeFaults(infrastructure), ...directoryFaults(definition.s3_directory), ...pathFaults(paths)]
  if (primary === undefined || wrong.length > 0) return { faults: wrong }
  return {
    accountNumber: primary.accountNumber,
    release: present({
      type: 'cloud:static' as const,
      region: infrastructure.s3_region,
      bucket: infrastructure.s3_bucket,
      prefix: definition.s3_directory,
      distributions: [refOf(primary), ...more.map(refOf)] as [DistributionRef, ...DistributionRef[]],
      keyValueStoreArn: infrastructure.cdn_keyvaluestore_arn,
      invalidationPaths: [...new Set(paths)],
      keepReleases: definition.keep_latest_successful_deploy_count ?? undefined,
      timeoutSeconds: timeout ?? 1_800,
    }),
  }
}

type Distribution = DistributionRef & { accountNumber: string }

const refOf = ({ id, arn }: Distribution): DistributionRef => ({ id, arn })

/** `arn:aws:cloudfront::ACCOUNT:distribution/ID` */
function distributionOf(arn: string): Distribution | undefined {
  const [, accountNumber, id] = /^arn:[^:]+:cloudfront::(\d{12}):distribution\/([A-Z0-9]+)$/.exec(arn) ?? []
  return accountNumber && id ? { id, arn, accountNumber } : undefined
}

/** `arn:aws:cloudfront::ACCOUNT:key-value-store/ID` */
const accountOfStore = (arn: string): string | undefined =>
  /^arn:[^:]+:cloudfront::(\d{12}):key-value-store\/.+$/.exec(arn)?.[1]

function placeFaults({ cdn_distribution_arns, cdn_keyvaluestore_arn }: StaticDeploy['infrastructure']): string[] {
  const at = 'deploy.infrastructure'
  const account = accountOfStore(cdn_keyvaluestore_arn)
  const faults = account === undefined ? [`${at}.cdn_keyvaluestore_arn must be the ARN of a key value store`] : []
  cdn_distribution_arns.forEach((arn, index) => {
    const path = `${at}.cdn_distribution_arns[${index}]`
    const distribution = distributionOf(arn)
    if (!distribution) faults.push(`${path} must be the ARN of a distribution`)
    else if (cdn_distribution_arns.indexOf(arn) < index) faults.push(`${path} names the same distribution once more`)
    else if (account !== undefined && distribution.accountNumber !== account) {
      faults.push(`${path} must be in the account ${account} of the key value store`)
    }
  })
  return faults
}

/** Bytes; the store takes no longer value. */
const longestDirectory = 1_024

function directoryFaults(directory: string): string[] {
  const path = 'deploy.definition.s3_directory'
  if (directory.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return [`${path} must be a directory such as releases/42: no slash at either end, no empty part, no . or ..`]
  }
  const isLong = new TextEncoder().encode(directory).length > longestDirectory
  return isLong ? [`${path} must have at most ${longestDirectory} bytes`] : []
}

function pathFaults(paths: string[]): string[] {
  return paths.flatMap((path, index) =>
    /^\/[^*\s]*\*?$/.test(path)
      ? []
      : [`deploy.definition.cdn_invalidation_paths[${index}] must begin with / and may have a * at its end only`],
  )
}
