import { type Static, Type } from 'typebox'
import { arn, closed, type DeployBlockDescription, deployBlock, otherwise, type Rule, text } from './description.ts'

const Infrastructure = Type.Object(
  {
    s3_bucket: text('The bucket that is served from.'),
    s3_region: text('Where the bucket is.'),
    cdn_distribution_arns: Type.Array(
      arn(
        'a distribution',
        'cloudfront::\\d{12}:distribution/[A-Z0-9]+$',
        'arn:aws:cloudfront::123456789012:distribution/E1',
      ),
      { minItems: 1, maxItems: 20, description: 'The distributions that serve it, the primary one first.' },
    ),
    cdn_keyvaluestore_arn: arn(
      'a key value store',
      'cloudfront::\\d{12}:key-value-store/.+$',
      'arn:aws:cloudfront::123456789012:key-value-store/site',
    ),
  },
  closed,
)

const Definition = Type.Object(
  {
    s3_directory: text('The directory of the bucket that is released.'),
    cdn_invalidation_paths: otherwise(
      Type.Array(
        Type.String({
          pattern: '^/(?:(?!%7[Ee])[^*~\\u0000-\\u001f])*\\*?$',
          title:
            'a path that begins with /, has no ~ (the content network cannot invalidate it), and may have a * at its end only',
          examples: ['/assets/*'],
        }),
        // The content network takes 3,000 paths at a time.
        { maxItems: 3_000, description: 'What is taken out of the caches.' },
      ),
      [],
    ),
    keep_latest_successful_deploy_count: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many releases keep their directory. Absent: all.' }),
    ),
  },
  { ...closed, description: 'What is released.' },
)

/** The `deploy` block of a static site. */
export const StaticDeploy = deployBlock('cloud:static', 1_800, {
  infrastructure: Infrastructure,
  definition: Definition,
})
export type StaticDeploy = Static<typeof StaticDeploy>

/** The account of a distribution or of a store: `arn:PARTITION:cloudfront::ACCOUNT:…`. */
const accountOf = (arn: string): string | undefined => arn.split(':')[4]

/** Bytes; the store takes no longer value. */
const longestDirectory = 1_024

/** Characters of an invalidation path as it is sent, with other than ASCII characters encoded. */
const maxInvalidationPathLength = 4_000

const rules: readonly Rule<StaticDeploy>[] = [
  ({ definition: { cdn_invalidation_paths: paths } }) =>
    paths.flatMap((path, index) =>
      encodeURI(path).length > maxInvalidationPathLength
        ? [
            {
              path: `.definition.cdn_invalidation_paths[${index}]`,
              must: `must have at most ${maxInvalidationPathLength} characters, encoded`,
            },
          ]
        : [],
    ),
  ({ infrastructure: { cdn_distribution_arns: arns } }) =>
    arns.flatMap((arn, index) =>
      arns.indexOf(arn) < index
        ? [{ path: `.infrastructure.cdn_distribution_arns[${index}]`, must: 'names the same distribution once more' }]
        : [],
    ),
  ({ infrastructure: { cdn_distribution_arns: arns, cdn_keyvaluestore_arn: store } }) =>
    arns.flatMap((arn, index) =>
      accountOf(arn) === accountOf(store)
        ? []
        : [
            {
              path: `.infrastructure.cdn_distribution_arns[${index}]`,
              must: `must be in the account ${accountOf(store)} of the key value store`,
            },
          ],
    ),
  ({ definition: { s3_directory } }) =>
    s3_directory.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
      ? [
          {
            path: '.definition.s3_directory',
            must: 'must be a directory such as releases/42: no slash at either end, no empty part, no . or ..',
          },
        ]
      : [],
  ({ definition: { s3_directory } }) =>
    new TextEncoder().encode(s3_directory).length > longestDirectory
      ? [{ path: '.definition.s3_directory', must: `must have at most ${longestDirectory} bytes` }]
      : [],
]

export const staticDeploy = { schema: StaticDeploy, rules } as const satisfies DeployBlockDescription<StaticDeploy>
