import { CloudError } from '../errors.ts'
import { type Operation, operations } from '../operation.ts'
import { commonErrors, type Protocol } from '../wire/protocol.ts'
import { restXml } from '../wire/rest-xml.ts'
import { settingOperations } from './bucket-settings.ts'
import * as buckets from './buckets.ts'
import { listObjectsV2, listObjectVersions } from './listing.ts'
import * as acls from './object-acls.ts'
import * as tags from './object-tags.ts'
import * as objects from './objects.ts'
import { completeMultipartUpload } from './upload-completion.ts'
import * as uploads from './uploads.ts'

const errors = commonErrors({
  unknownOperation: ['NotImplemented', 501],
  invalidToken: ['InvalidToken', 400],
  expiredToken: ['ExpiredToken', 400],
  accessDenied: ['AccessDenied', 403],
  throttled: ['SlowDown', 503],
  unexpected: ['InternalError', 500],
  incompleteSignature: ['InvalidRequest', 400],
  badSignature: ['SignatureDoesNotMatch', 403],
  skewed: ['RequestTimeTooSkewed', 403],
  unreadable: ['MalformedXML', 400],
  invalid: ['InvalidArgument', 400],
})

const notAllowed = () =>
  new CloudError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405)

/** Protocol of S3, API version 2006-03-01, with path-style bucket names. */
export const s3Protocol: Protocol = {
  ...restXml({
    errors: { ...errors, noRoute: notAllowed },
    error: ({ code, message }, requestId) => ({ Error: { Code: code, Message: message, RequestId: requestId } }),
  }),
  longestSkewMs: 15 * 60_000,
}

/** Adds a check of the expected bucket owner, which every request can specify. */
function withExpectedOwner(table: ReadonlyMap<string, Operation>): ReadonlyMap<string, Operation> {
  const checked = [...table].map(([name, work]): [string, Operation] => [
    name,
    (world, caller, input, request) => {
      const expected = request.headers['x-amz-expected-bucket-owner']
      const { Bucket } = input as { Bucket?: string }
      if (expected !== undefined && Bucket !== undefined && name !== 'CreateBucket') {
        buckets.findBucket(world, caller, Bucket)
        buckets.checkOwner(caller, expected)
      }
      return work(world, caller, input, request)
    },
  ])
  return new Map(checked)
}

const table = operations({
  ...settingOperations,
  AbortMultipartUpload: uploads.abortMultipartUpload,
  CompleteMultipartUpload: completeMultipartUpload,
  CopyObject: objects.copyObject,
  CreateBucket: buckets.createBucket,
  CreateMultipartUpload: uploads.createMultipartUpload,
  DeleteBucket: buckets.deleteBucket,
  DeleteObject: objects.deleteObject,
  DeleteObjects: objects.deleteObjects,
  DeleteObjectTagging: tags.deleteObjectTagging,
  GetBucketLocation: buckets.getBucketLocation,
  GetObject: objects.getObject,
  GetObjectAcl: acls.getObjectAcl,
  GetObjectTagging: tags.getObjectTagging,
  HeadBucket: buckets.headBucket,
  HeadObject: objects.getObject,
  ListBuckets: buckets.listBuckets,
  ListMultipartUploads: uploads.listMultipartUploads,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  ListParts: uploads.listParts,
  PutObject: objects.putObject,
  PutObjectAcl: acls.putObjectAcl,
  PutObjectTagging: tags.putObjectTagging,
  UploadPart: uploads.uploadPart,
})

export const s3Operations = withExpectedOwner(table)
