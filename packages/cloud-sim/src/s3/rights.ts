import { partitionOf } from '../arns.ts'
import {
  defineIamPermissions,
  type IamPermission,
  type IamPermissionTable,
  type PermissionContext,
} from '../rights/right.ts'
import { children, childText, type Xml } from '../wire/xml.ts'
import { settingOperations } from './bucket-settings.ts'
import { sourceOf } from './objects.ts'

type Named = { Bucket?: string; Key?: string; versionId?: string }

const arn = (path: string, { caller }: PermissionContext) => `arn:${partitionOf(caller.region)}:s3:::${path}`

const ofBucket =
  (action: string) =>
  ({ Bucket = '' }: Named, where: PermissionContext): IamPermission => ({
    action: `s3:${action}`,
    resource: arn(Bucket, where),
  })

const ofObject =
  (action: string) =>
  ({ Bucket = '', Key = '' }: Named, where: PermissionContext): IamPermission => ({
    action: `s3:${action}`,
    resource: arn(`${Bucket}/${Key}`, where),
  })

/** Returns a permission for an object. Requests for a version need a separate one. */
const ofVersion =
  (action: string) =>
  (input: Named, where: PermissionContext): IamPermission =>
    ofObject(input.versionId === undefined ? action : `${action}Version`)(input, where)

/** Returns a permission for a part of an object, such as its tags. Requests for a version need a separate one. */
const ofPart =
  (verb: string, part: string) =>
  (input: Named, where: PermissionContext): IamPermission =>
    ofObject(`${verb}Object${input.versionId === undefined ? '' : 'Version'}${part}`)(input, where)

/** Returns the permissions to write an object, including those for tags and ACLs in its headers. */
function toWrite(input: Named, where: PermissionContext): IamPermission[] {
  const { headers } = where.request
  const hasAcl = Object.keys(headers).some((name) => name === 'x-amz-acl' || name.startsWith('x-amz-grant-'))
  return [
    ofObject('PutObject')(input, where),
    ...(headers['x-amz-tagging'] === undefined ? [] : [ofObject('PutObjectTagging')(input, where)]),
    ...(hasAcl ? [ofObject('PutObjectAcl')(input, where)] : []),
  ]
}

/**
 * Settings whose permissions are named differently from their operations ("Actions defined by Amazon S3", read
 * 2026-11).
 */
const settingNames: [operation: RegExp, right: string][] = [
  [/BucketAccelerateConfiguration$/, 'AccelerateConfiguration'],
  [/BucketCors$/, 'BucketCORS'],
  [/BucketEncryption$/, 'EncryptionConfiguration'],
  [/BucketLifecycle(Configuration)?$/, 'LifecycleConfiguration'],
  [/BucketReplication$/, 'ReplicationConfiguration'],
  [/ObjectLockConfiguration$/, 'BucketObjectLockConfiguration'],
  [/PublicAccessBlock$/, 'BucketPublicAccessBlock'],
]

/** Returns the action of a settings operation. Deletions need the Put permission, except for policies and websites. */
function actionOf(operation: string): string {
  const [, renamed] = settingNames.find(([pattern]) => pattern.test(operation)) ?? []
  const [, verb = '', name = ''] = /^(Get|Put|Delete)(.+)$/.exec(operation) ?? []
  const isPut = verb === 'Delete' && name !== 'BucketPolicy' && name !== 'BucketWebsite'
  return `${isPut ? 'Put' : verb}${renamed ?? name}`
}

const ofSettings: IamPermissionTable = defineIamPermissions(
  Object.fromEntries(Object.keys(settingOperations).map((operation) => [operation, ofBucket(actionOf(operation))])),
)

function readOfSource(where: PermissionContext): IamPermission {
  const { bucket, key, versionId } = sourceOf(where.request)
  return ofVersion('GetObject')({ Bucket: bucket, Key: key, ...(versionId !== undefined && { versionId }) }, where)
}

export const s3Rights: IamPermissionTable = {
  ...ofSettings,
  ...defineIamPermissions({
    AbortMultipartUpload: ofObject('AbortMultipartUpload'),
    CompleteMultipartUpload: ofObject('PutObject'),
    CopyObject: (input: Named, where) => [readOfSource(where), ...toWrite(input, where)],
    CreateBucket: ofBucket('CreateBucket'),
    CreateMultipartUpload: toWrite,
    DeleteBucket: ofBucket('DeleteBucket'),
    DeleteObject: ofVersion('DeleteObject'),
    DeleteObjectTagging: ofPart('Delete', 'Tagging'),
    DeleteObjects: ({ Bucket = '', Delete }: Named & { Delete?: Xml }, where) =>
      children(Delete, 'Object').map((object) =>
        ofObject(childText(object, 'VersionId') === undefined ? 'DeleteObject' : 'DeleteObjectVersion')(
          { Bucket, Key: childText(object, 'Key') ?? '' },
          where,
        ),
      ),
    GetBucketLocation: ofBucket('GetBucketLocation'),
    GetObject: ofVersion('GetObject'),
    GetObjectAcl: ofPart('Get', 'Acl'),
    GetObjectTagging: ofPart('Get', 'Tagging'),
    HeadBucket: ofBucket('ListBucket'),
    HeadObject: ofVersion('GetObject'),
    ListBuckets: () => ({ action: 's3:ListAllMyBuckets', resource: '*' }),
    ListMultipartUploads: ofBucket('ListBucketMultipartUploads'),
    ListObjectVersions: ofBucket('ListBucketVersions'),
    ListObjectsV2: ofBucket('ListBucket'),
    ListParts: ofObject('ListMultipartUploadParts'),
    PutObject: toWrite,
    PutObjectAcl: ofPart('Put', 'Acl'),
    PutObjectTagging: ofPart('Put', 'Tagging'),
    UploadPart: ofObject('PutObject'),
  }),
}
