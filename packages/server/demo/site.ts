import { setTimeout as sleep } from 'node:timers/promises'
import { CreateDistributionCommand, CreateKeyValueStoreCommand } from '@aws-sdk/client-cloudfront'
import { DescribeKeyValueStoreCommand, UpdateKeysCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
import { type BucketLocationConstraint, CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { CloudClients } from '../src/cloud/adapter/access.ts'

/** Input by which an instance of the module `static-site` finds its site. */
export type Site = {
  bucket: string
  distribution_id: string
  distribution_arn: string
  keyvaluestore_arn: string
  /** Address of the site. */
  address: string
}

/** Creates a bucket, a CloudFront distribution in front of it, and the key-value store with the served directory. */
export async function createSite(clients: CloudClients, name: string, region: string): Promise<Site> {
  const { storage, contentNetwork, keyValues } = clients
  const LocationConstraint = region as BucketLocationConstraint
  await storage.send(new CreateBucketCommand({ Bucket: name, CreateBucketConfiguration: { LocationConstraint } }))
  const origin = { Id: 'files', DomainName: `${name}.s3.${region}.amazonaws.com` }
  const { Distribution } = await contentNetwork.send(
    new CreateDistributionCommand({
      DistributionConfig: {
        CallerReference: name,
        Comment: name,
        Enabled: true,
        Origins: { Quantity: 1, Items: [{ ...origin, S3OriginConfig: { OriginAccessIdentity: '' } }] },
        DefaultCacheBehavior: { TargetOriginId: origin.Id, ViewerProtocolPolicy: 'redirect-to-https', Compress: true },
      },
    }),
  )
  const { KeyValueStore } = await contentNetwork.send(new CreateKeyValueStoreCommand({ Name: name }))
  if (!Distribution?.Id || !Distribution.ARN || !KeyValueStore?.ARN) throw new Error(`The cloud made no site ${name}.`)
  await untilReady(keyValues, KeyValueStore.ARN)
  return {
    bucket: name,
    distribution_id: Distribution.Id,
    distribution_arn: Distribution.ARN,
    keyvaluestore_arn: KeyValueStore.ARN,
    address: `https://${Distribution.DomainName}`,
  }
}

/** Waits until a new store accepts writes, which takes some seconds. */
async function untilReady(keyValues: CloudClients['keyValues'], store: string): Promise<void> {
  const describe = new DescribeKeyValueStoreCommand({ KvsARN: store })
  while ((await keyValues.send(describe)).Status !== 'READY') await sleep(20)
}

/** Uploads a release to its own directory. */
export async function uploadRelease(
  { storage }: CloudClients,
  bucket: string,
  prefix: string,
  pages: Record<string, string>,
): Promise<void> {
  const put = ([name, Body]: [string, string]) =>
    storage.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}/${name}`, Body, ContentType: 'text/html' }))
  await Promise.all(Object.entries(pages).map(put))
}

/** Sets the served directory, like a user without Sluice. */
export async function serve({ keyValues }: CloudClients, store: string, prefix: string): Promise<void> {
  const { ETag } = await keyValues.send(new DescribeKeyValueStoreCommand({ KvsARN: store }))
  const Puts = [{ Key: 'active', Value: prefix }]
  await keyValues.send(new UpdateKeysCommand({ KvsARN: store, IfMatch: ETag, Puts }))
}
