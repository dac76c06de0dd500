import { operations } from '../operation.ts'
import { commonErrors, type Protocol } from '../wire/protocol.ts'
import { restXml } from '../wire/rest-xml.ts'
import { rawSettings, settingOperations, settingRoutes } from './bucket-settings.ts'
import * as buckets from './buckets.ts'
import { listObjectsV2, listObjectVersions } from './listing.ts'
import * as objects from './objects.ts'
import { completeMultipartUpload } from './upload-completion.ts'
import * as uploads from './uploads.ts'

const protocol = restXml({
  routes: {
    ListBuckets: 'GET /',
    ...settingRoutes,
    GetBucketLocation: 'GET /{Bucket}?location',
    ListObjectsV2: 'GET /{Bucket}?list-type=2',
    ListObjectVersions: 'GET /{Bucket}?versions',
    DeleteObjects: 'POST /{Bucket}?delete',
    CreateBucket: 'PUT /{Bucket}',
    HeadBucket: 'HEAD /{Bucket}',
    DeleteBucket: 'DELETE /{Bucket}',
    ListMultipartUploads: 'GET /{Bucket}?uploads',
    CreateMultipartUpload: 'POST /{Bucket}/{Key+}?uploads',
    UploadPart: 'PUT /{Bucket}/{Key+}?partNumber&uploadId',
    CompleteMultipartUpload: 'POST /{Bucket}/{Key+}?uploadId',
    AbortMultipartUpload: 'DELETE /{Bucket}/{Key+}?uploadId',
    ListParts: 'GET /{Bucket}/{Key+}?uploadId',
    GetObjectTagging: 'GET /{Bucket}/{Key+}?tagging',
    GetObject: 'GET /{Bucket}/{Key+}',
    HeadObject: 'HEAD /{Bucket}/{Key+}',
    PutObject: 'PUT /{Bucket}/{Key+}',
    DeleteObject: 'DELETE /{Bucket}/{Key+}',
  },
  raw: new Set(['PutObject', 'UploadPart', ...rawSettings]),
  errors: commonErrors({
    unknownOperation: ['NotImplemented', 501],
    invalidToken: ['InvalidToken', 400],
    expiredToken: ['ExpiredToken', 400],
    accessDenied: ['AccessDenied', 403],
    throttled: ['SlowDown', 503],
    unexpected: ['InternalError', 500],
    badSignature: ['SignatureDoesNotMatch', 403],
    skewed: ['RequestTimeTooSkewed', 403],
    unreadable: ['MalformedXML', 400],
    invalid: ['InvalidArgument', 400],
  }),
  error: ({ code, message }, requestId) => ({ Error: { Code: code, Message: message, RequestId: requestId } }),
})

/** What a query asks of an object that is not simulated; it must not be taken for the object itself. */
const otherThings = ['attributes', 'legal-hold', 'restore', 'retention', 'select']

/** The storage API, version 2006-03-01, as far as it is simulated. Buckets are named in the path. */
export const s3Protocol: Protocol = {
  ...protocol,
  longestSkewMs: 15 * 60_000,
  read(request) {
    const reading = protocol.read(request)
    const { operation } = reading
    const asks = (name: string) => request.url.searchParams.has(name)
    if (otherThings.some(asks)) return { ...reading, operation: '' }
    if (asks('partNumber') && operation !== 'UploadPart') return { ...reading, operation: '' }
    // Only a header tells a copy from an upload.
    const isCopy = request.headers['x-amz-copy-source'] !== undefined
    if (isCopy && operation === 'UploadPart') return { ...reading, operation: 'UploadPartCopy' }
    return isCopy && operation === 'PutObject' ? { ...reading, operation: 'CopyObject' } : reading
  },
}

export const s3Operations = operations({
  ...settingOperations,
  AbortMultipartUpload: uploads.abortMultipartUpload,
  CompleteMultipartUpload: completeMultipartUpload,
  CopyObject: objects.copyObject,
  CreateBucket: buckets.createBucket,
  CreateMultipartUpload: uploads.createMultipartUpload,
  DeleteBucket: buckets.deleteBucket,
  DeleteObject: objects.deleteObject,
  DeleteObjects: objects.deleteObjects,
  GetBucketLocation: buckets.getBucketLocation,
  GetObject: objects.getObject,
  GetObjectTagging: objects.getObjectTagging,
  HeadBucket: buckets.headBucket,
  HeadObject: objects.getObject,
  ListBuckets: buckets.listBuckets,
  ListMultipartUploads: uploads.listMultipartUploads,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  ListParts: uploads.listParts,
  PutObject: objects.putObject,
  UploadPart: uploads.uploadPart,
})
