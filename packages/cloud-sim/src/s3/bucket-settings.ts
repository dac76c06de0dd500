import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { findBucket } from './buckets.ts'
import { s3 } from './state.ts'

/** A setting of a bucket: kept and shown, without effect but for that of versions. */
interface Setting {
  /** What its operations are named for: `GetBucketCors`, `PutBucketCors`, `DeleteBucketCors`. */
  name: string
  /** How it stands in the query: `?cors`. */
  flag: string
  /** What is answered where nothing was set: a document, or the error of that name. */
  unset: { document: string } | { error: [code: string, message: string] }
  /** A header that is kept with it, and what it says where nothing was said. */
  header?: { name: string; usual: string }
}

const settings: Setting[] = [
  { name: 'BucketAccelerateConfiguration', flag: 'accelerate', unset: { document: '<AccelerateConfiguration/>' } },
  {
    name: 'BucketAcl',
    flag: 'acl',
    unset: {
      document:
        '<AccessControlPolicy><Owner><ID>owner</ID></Owner><AccessControlList><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>owner</ID></Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList></AccessControlPolicy>',
    },
  },
  none('BucketCors', 'cors', 'NoSuchCORSConfiguration', 'The CORS configuration does not exist'),
  {
    name: 'BucketEncryption',
    flag: 'encryption',
    unset: {
      document:
        '<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault><BucketKeyEnabled>false</BucketKeyEnabled></Rule></ServerSideEncryptionConfiguration>',
    },
  },
  {
    ...none(
      'BucketLifecycleConfiguration',
      'lifecycle',
      'NoSuchLifecycleConfiguration',
      'The lifecycle configuration does not exist',
    ),
    header: { name: 'x-amz-transition-default-minimum-object-size', usual: 'all_storage_classes_128K' },
  },
  { name: 'BucketLogging', flag: 'logging', unset: { document: '<BucketLoggingStatus/>' } },
  none(
    'BucketOwnershipControls',
    'ownershipControls',
    'OwnershipControlsNotFoundError',
    'The bucket ownership controls were not found',
  ),
  none('BucketPolicy', 'policy', 'NoSuchBucketPolicy', 'The bucket policy does not exist'),
  none(
    'BucketReplication',
    'replication',
    'ReplicationConfigurationNotFoundError',
    'The replication configuration was not found',
  ),
  {
    name: 'BucketRequestPayment',
    flag: 'requestPayment',
    unset: { document: '<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>' },
  },
  none('BucketTagging', 'tagging', 'NoSuchTagSet', 'The TagSet does not exist'),
  { name: 'BucketVersioning', flag: 'versioning', unset: { document: '<VersioningConfiguration/>' } },
  none(
    'BucketWebsite',
    'website',
    'NoSuchWebsiteConfiguration',
    'The specified bucket does not have a website configuration',
  ),
  none(
    'ObjectLockConfiguration',
    'object-lock',
    'ObjectLockConfigurationNotFoundError',
    'Object Lock configuration does not exist for this bucket',
  ),
  none(
    'PublicAccessBlock',
    'publicAccessBlock',
    'NoSuchPublicAccessBlockConfiguration',
    'The public access block configuration was not found',
  ),
]

function none(name: string, flag: string, code: string, message: string): Setting {
  return { name, flag, unset: { error: [code, message] } }
}

type Asked = { Bucket: string }

const read =
  ({ flag, unset, header }: Setting) =>
  (world: World, caller: Caller, input: Asked) => {
    const { settings } = findBucket(world, caller, input.Bucket)
    const set = settings[flag]
    if (set === undefined && 'error' in unset) throw new CloudError(...unset.error, 404)
    const headers = header ? { [header.name]: settings[header.name] ?? header.usual } : {}
    return new Reply(200, headers, set ?? ('document' in unset ? unset.document : ''))
  }

const write =
  ({ flag, header }: Setting) =>
  (world: World, caller: Caller, input: Asked, { body, headers }: HttpRequest) => {
    const bucket = findBucket(world, caller, input.Bucket)
    const kept = header ? { [header.name]: String(headers[header.name] ?? header.usual) } : {}
    const settings = { ...bucket.settings, [flag]: body.toString('utf8'), ...kept }
    s3(world).buckets.save(Object.assign(bucket, { settings }))
    return new Reply(200, kept)
  }

const remove =
  ({ flag }: Setting) =>
  (world: World, caller: Caller, input: Asked) => {
    const bucket = findBucket(world, caller, input.Bucket)
    const { [flag]: _, ...others } = bucket.settings
    s3(world).buckets.save(Object.assign(bucket, { settings: others }))
    return new Reply(204)
  }

export const settingOperations = Object.fromEntries(
  settings.flatMap((setting) => [
    [`Get${setting.name}`, read(setting)],
    [`Put${setting.name}`, write(setting)],
    [`Delete${setting.name}`, remove(setting)],
  ]),
)

export const settingRoutes = Object.fromEntries(
  settings.flatMap(({ name, flag }) => [
    [`Get${name}`, `GET /{Bucket}?${flag}`],
    [`Put${name}`, `PUT /{Bucket}?${flag}`],
    [`Delete${name}`, `DELETE /{Bucket}?${flag}`],
  ]),
)

/** Their bodies are kept as they come; a policy is not even XML. */
export const rawSettings = settings.map(({ name }) => `Put${name}`)
