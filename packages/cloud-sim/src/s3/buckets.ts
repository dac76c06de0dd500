import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import { childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { aclInHeaders, privateAcl } from './acls.ts'
import { s3Reply } from './answers.ts'
import { type Bucket, s3 } from './state.ts'
import { namesIn } from './versions.ts'

/** Region whose buckets have no location. */
const firstRegion = 'us-east-1'

export function createBucket(
  world: World,
  caller: Caller,
  input: { Bucket: string; CreateBucketConfiguration?: Xml },
  request: HttpRequest,
) {
  const { Bucket: name } = input
  checkBucketName(name)
  const region = childText(input.CreateBucketConfiguration, 'LocationConstraint') ?? firstRegion
  if (region !== caller.region) {
    const message = `The ${region} location constraint is incompatible for the region specific endpoint this request was sent to.`
    throw new CloudError('IllegalLocationConstraintException', message)
  }
  const there = s3(world).buckets.get(name)
  if (there?.account === caller.accountId) {
    const message = 'Your previous request to create the named bucket succeeded and you already own it.'
    throw new CloudError('BucketAlreadyOwnedByYou', message, 409)
  }
  if (there) throw new CloudError('BucketAlreadyExists', 'The requested bucket name is not available.', 409)
  s3(world).buckets.save({
    key: name,
    account: caller.accountId,
    region,
    createdAt: world.clock.timestamp(),
    settings: settingsOfNewBucket(request),
  })
  return new Reply(200, { location: `/${name}` })
}

/** Returns the ownership and ACL of a new bucket. ACLs are disabled by default. */
function settingsOfNewBucket(request: HttpRequest): Bucket['settings'] {
  const ownership = String(request.headers['x-amz-object-ownership'] ?? 'BucketOwnerEnforced')
  const acl = aclInHeaders(request)
  if (acl !== undefined && acl !== privateAcl && ownership === 'BucketOwnerEnforced') {
    const message = "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting"
    throw new CloudError('InvalidBucketAclWithObjectOwnership', message)
  }
  return {
    ownershipControls: `<OwnershipControls><Rule><ObjectOwnership>${ownership}</ObjectOwnership></Rule></OwnershipControls>`,
    ...(acl !== undefined && { acl }),
  }
}

// "General purpose bucket naming rules" in the user guide, read 2026-11.
const reservedBeginnings = ['xn--', 'sthree-', 'amzn-s3-demo-']
const reservedEndings = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3']

function checkBucketName(name: string): void {
  const isWellFormed = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes('..')
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(name)
  const isReserved =
    reservedBeginnings.some((beginning) => name.startsWith(beginning)) ||
    reservedEndings.some((ending) => name.endsWith(ending))
  if (isWellFormed && !isAddress && !isReserved) return
  throw new CloudError('InvalidBucketName', 'The specified bucket is not valid.')
}

export function headBucket(world: World, caller: Caller, input: { Bucket: string }) {
  const { region } = findBucket(world, caller, input.Bucket)
  return new Reply(200, { 'x-amz-bucket-region': region })
}

export function getBucketLocation(world: World, caller: Caller, input: { Bucket: string }) {
  const { region } = findBucket(world, caller, input.Bucket)
  const body = region === firstRegion ? '' : region
  return new Reply(
    200,
    { 'content-type': 'application/xml' },
    `<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${body}</LocationConstraint>`,
  )
}

export function listBuckets(world: World, caller: Caller) {
  const own = [...s3(world).buckets.all()].filter(({ account }) => account === caller.accountId)
  const Bucket = own.map(({ key, createdAt }) => ({ Name: key, CreationDate: new Date(createdAt) }))
  return s3Reply('ListAllMyBucketsResult', { Owner: { ID: caller.accountId }, Buckets: { Bucket } })
}

export function deleteBucket(world: World, caller: Caller, input: { Bucket: string }) {
  const bucket = findBucket(world, caller, input.Bucket)
  if (namesIn(world, bucket.key).length > 0) {
    throw new CloudError('BucketNotEmpty', 'The bucket you tried to delete is not empty.', 409)
  }
  s3(world).buckets.remove(bucket)
  return new Reply(204)
}

/** Throws if the expected owner of a bucket is not the caller, who finds only their own buckets. */
export function checkOwner(caller: Caller, expected: string | string[] | undefined): void {
  if (expected !== undefined && expected !== caller.accountId) throw accessDenied()
}

const accessDenied = () => new CloudError('AccessDenied', 'Access Denied', 403)

/** Returns the caller's bucket, which must be in the region of the request. */
export function findBucket(world: World, caller: Caller, name: string): Bucket {
  const bucket = s3(world).buckets.get(name)
  if (!bucket) throw new CloudError('NoSuchBucket', 'The specified bucket does not exist', 404)
  if (bucket.account !== caller.accountId) throw accessDenied()
  if (bucket.region !== caller.region) {
    const message = `The authorization header is malformed; the region '${caller.region}' is wrong; expecting '${bucket.region}'`
    throw new CloudError('AuthorizationHeaderMalformed', message)
  }
  return bucket
}
