import { type Static, Type } from 'typebox'
import { arn, closed, type DeployBlockDescription, deployBlock, type Rule, text, withDefault } from './description.ts'

const Infrastructure = Type.Object(
  {
    s3_bucket: text('Bucket from which the site is served.'),
    s3_region: text('Region of the bucket.'),
    cdn_distribution_arns: Type.Array(
      arn(
        'a distribution',
        'cloudfront::\\d{12}:distribution/[A-Z0-9]+$',
        'arn:aws:cloudfront::123456789012:distribution/E1',
      ),
      {
        minItems: 1,
        maxItems: 20,
        description: 'ARNs of the distributions that serve the site, the primary one first.',
      },
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
    s3_directory: text('Directory in the bucket to release.'),
    cdn_invalidation_paths: withDefault(
      Type.Array(
        Type.String({
          pattern: '^/(?:(?!%7[Ee])[^*~\\u0000-\\u001f])*\\*?$',
          title:
            'a path that begins with /, does not contain ~ (the CDN cannot invalidate it), and has a * only at its end',
          examples: ['/assets/*'],
        }),
        // The CDN accepts up to 3,000 paths per invalidation.
        { maxItems: 3_000, description: 'Paths to invalidate in the caches.' },
      ),
      [],
    ),
    keep_latest_successful_deploy_count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Number of releases whose directories are retained. If absent, all are retained.',
      }),
    ),
  },
  { ...closed, description: 'Release.' },
)

/** The `deploy` block of a static site. */
export const StaticDeploy = deployBlock('cloud:static', 1_800, {
  infrastructure: Infrastructure,
  definition: Definition,
})
export type StaticDeploy = Static<typeof StaticDeploy>

/** Returns the account number in the ARN of a distribution or store: `arn:PARTITION:cloudfront::ACCOUNT:…`. */
const accountOf = (arn: string): string | undefined => arn.split(':')[4]

/** Maximum length of the directory in bytes, which is the store's limit for values. */
const maxDirectoryBytes = 1_024

/** Maximum length of an encoded invalidation path in characters. */
const maxInvalidationPathLength = 4_000

const rules: readonly Rule<StaticDeploy>[] = [
  ({ definition: { cdn_invalidation_paths: paths } }) =>
    paths.flatMap((path, index) =>
      encodeURI(path).length > maxInvalidationPathLength
        ? [
            {
              path: `.definition.cdn_invalidation_paths[${index}]`,
              must: `must have at most ${maxInvalidationPathLength} characters when encoded`,
            },
          ]
        : [],
    ),
  ({ infrastructure: { cdn_distribution_arns: arns } }) =>
    arns.flatMap((arn, index) =>
      arns.indexOf(arn) < index
        ? [
            {
              path: `.infrastructure.cdn_distribution_arns[${index}]`,
              must: 'must not name the same distribution twice',
            },
          ]
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
            must: 'must be a directory such as releases/42: no leading or trailing slash, no empty segment, no . or ..',
          },
        ]
      : [],
  ({ definition: { s3_directory } }) =>
    new TextEncoder().encode(s3_directory).length > maxDirectoryBytes
      ? [{ path: '.definition.s3_directory', must: `must have at most ${maxDirectoryBytes} bytes` }]
      : [],
]

export const staticDeploy = { schema: StaticDeploy, rules } as const satisfies DeployBlockDescription<StaticDeploy>
