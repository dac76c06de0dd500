import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { aclToSet, privateAcl } from './acls.ts'
import { findBucket } from './buckets.ts'
import { type Bucket, s3 } from './state.ts'

/** Setting of a bucket. All but versioning are only stored and returned. */
interface Setting {
  /** Suffix of its operations, as in `GetBucketCors` and `PutBucketCors`. */
  name: string
  /** Operation that deletes it, if any. */
  deleteOperation?: string
  /** Query parameter, as in `?cors`. */
  flag: string
  /** Response for an unset value: a document or an error. */
  unset: { document: string } | { error: [code: string, message: string] }
  /** Header that is stored with it, with its default. */
  header?: { name: string; usual: string }
  /** Returns the document of a request, if it is not simply the body. */
  documentOf?: (bucket: Bucket, request: HttpRequest) => string
}

const settings: Setting[] = [
  { name: 'BucketAccelerateConfiguration', flag: 'accelerate', unset: { document: '<AccelerateConfiguration/>' } },
  {
    name: 'BucketAcl',
    flag: 'acl',
    unset: { document: privateAcl },
    documentOf: aclToSet,
  },
  none('BucketCors', 'cors', 'NoSuchCORSConfiguration', 'The CORS configuration does not exist'),
  {
    name: 'BucketEncryption',
    deleteOperation: 'DeleteBucketEncryption',
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
    deleteOperation: 'DeleteBucketLifecycle',
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
  {
    name: 'ObjectLockConfiguration',
    flag: 'object-lock',
    unset: {
      error: ['ObjectLockConfigurationNotFoundError', 'Object Lock configuration does not exist for this bucket'],
    },
  },
  none(
    'PublicAccessBlock',
    'publicAccessBlock',
    'NoSuchPublicAccessBlockConfiguration',
    'The public access block configuration was not found',
  ),
]

function none(name: string, flag: string, code: string, message: string): Setting {
  return { name, deleteOperation: `Delete${name}`, flag, unset: { error: [code, message] } }
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
  ({ flag, header, documentOf = (_bucket, { body }) => body.toString('utf8') }: Setting) =>
  (world: World, caller: Caller, input: Asked, request: HttpRequest) => {
    const bucket = findBucket(world, caller, input.Bucket)
    const kept = header ? { [header.name]: String(request.headers[header.name] ?? header.usual) } : {}
    const settings = { ...bucket.settings, [flag]: documentOf(bucket, request), ...kept }
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

/** Operations that get, put and delete settings. Documents are stored as received. */
export const settingOperations = Object.fromEntries(
  settings.flatMap((setting) => [
    [`Get${setting.name}`, read(setting)],
    [`Put${setting.name}`, write(setting)],
    ...(setting.deleteOperation === undefined ? [] : [[setting.deleteOperation, remove(setting)]]),
  ]),
)
