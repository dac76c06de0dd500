import { readDistribution } from '../../../cloud/adapter/content-network.ts'
import { readActive } from '../../../cloud/adapter/key-value-store.ts'
import { countFiles } from '../../../cloud/adapter/storage.ts'
import type { RequiredPermission } from '../../../cloud/facts/release-parts.ts'
import type { StaticRelease } from '../../deployments/types/static/release.ts'
import type { CheckedAccount } from '../checked-account.ts'
import { checkExisting, readExisting } from '../existing.ts'
import { type CheckResult, combined } from '../findings.ts'
import { checkPermissions } from '../granted-permissions.ts'

/** Checks a release of a static site. */
export async function checkSite(account: CheckedAccount, release: StaticRelease): Promise<CheckResult> {
  const { clients, roleArn } = account
  const parts = await Promise.all([
    checkFiles(account, release),
    checkStore(account, release),
    ...release.distributions.map(async (distribution) => {
      const fact = await readExisting('cloudfront:GetDistribution', ['NoSuchDistribution'], () =>
        readDistribution(clients.contentNetwork, distribution),
      )
      const subject = `the distribution ${distribution.arn}`
      return checkExisting({ code: 'DISTRIBUTION_MISSING', subject, remedy: 'Create it, or correct its ARN.' }, fact)
    }),
    checkPermissions(clients, roleArn, requiredPermissions(release)),
  ])
  return combined(parts)
}

async function checkFiles({ clients }: CheckedAccount, { bucket, prefix }: StaticRelease): Promise<CheckResult> {
  const path = 'deploy.definition.s3_directory'
  const directory = `s3://${bucket}/${prefix}`
  const fact = await readExisting('s3:ListBucket', ['NoSuchBucket'], () => countFiles(clients.storage, bucket, prefix))
  const remedy = 'Upload the files, or release a directory that has some.'
  return checkExisting({ code: 'FILES_MISSING', subject: `the directory ${directory}`, path, remedy }, fact, (count) =>
    count > 0
      ? []
      : [{ severity: 'ERROR', code: 'FILES_MISSING', path, message: `The directory ${directory} is empty.`, remedy }],
  )
}

async function checkStore({ clients }: CheckedAccount, { keyValueStoreArn }: StaticRelease): Promise<CheckResult> {
  const permissions = 'cloudfront-keyvaluestore:DescribeKeyValueStore and cloudfront-keyvaluestore:GetKey'
  const fact = await readExisting(permissions, ['ResourceNotFoundException'], () =>
    readActive(clients.keyValues, keyValueStoreArn),
  )
  const subject = `the key value store ${keyValueStoreArn}`
  return checkExisting({ code: 'KEY_VALUE_STORE_MISSING', subject, remedy: 'Create it, or correct its ARN.' }, fact)
}

/** Returns the permissions that the connected role needs for a release of a static site. */
function requiredPermissions(release: StaticRelease): RequiredPermission[] {
  const { bucket, distributions, keyValueStoreArn, invalidationPaths } = release
  const partition = keyValueStoreArn.split(':')[1]
  const onStore = ['DescribeKeyValueStore', 'GetKey', 'PutKey']
  const invalidates = invalidationPaths.length > 0 ? ['CreateInvalidation', 'GetInvalidation'] : []
  const onDistribution = ['GetDistribution', ...invalidates]
  return [
    { action: 's3:ListBucket', resource: `arn:${partition}:s3:::${bucket}` },
    ...onStore.map((action) => ({ action: `cloudfront-keyvaluestore:${action}`, resource: keyValueStoreArn })),
    ...distributions.flatMap(({ arn }) =>
      onDistribution.map((action) => ({ action: `cloudfront:${action}`, resource: arn })),
    ),
  ]
}
