import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import { escaped } from '../wire/xml.ts'
import { invalidArgument } from './answers.ts'
import type { Bucket } from './state.ts'

/** Grantee: a group by URI, or a user by id or email address. */
type Grantee = { element: 'URI' | 'ID' | 'EmailAddress'; value: string }
type Grant = [grantee: Grantee, permission: string]

const owner: Grantee = { element: 'ID', value: 'owner' }
const group = (name: string): Grantee => ({
  element: 'URI',
  value: `http://acs.amazonaws.com/groups/${name}`,
})
const everyone = group('global/AllUsers')

/** Grants of canned ACLs besides the owner's full control ("Canned ACL" in the user guide, read 2026-11). */
const cannedGrants: Record<string, Grant[]> = {
  private: [],
  'public-read': [[everyone, 'READ']],
  'public-read-write': [
    [everyone, 'READ'],
    [everyone, 'WRITE'],
  ],
  'authenticated-read': [[group('global/AuthenticatedUsers'), 'READ']],
  'aws-exec-read': [[{ element: 'ID', value: 'za-team' }, 'READ']],
  'bucket-owner-read': [],
  'bucket-owner-full-control': [],
  'log-delivery-write': [
    [group('s3/LogDelivery'), 'WRITE'],
    [group('s3/LogDelivery'), 'READ_ACP'],
  ],
}

const permissionsOfHeaders: Record<string, string> = {
  'x-amz-grant-full-control': 'FULL_CONTROL',
  'x-amz-grant-read': 'READ',
  'x-amz-grant-write': 'WRITE',
  'x-amz-grant-read-acp': 'READ_ACP',
  'x-amz-grant-write-acp': 'WRITE_ACP',
}

/** Returns the ACL in a request's headers as a document, or undefined. */
export function aclInHeaders({ headers }: HttpRequest): string | undefined {
  const canned = headers['x-amz-acl']
  const named = Object.keys(permissionsOfHeaders).filter((name) => headers[name] !== undefined)
  if (canned !== undefined && named.length > 0) {
    throw new CloudError('InvalidRequest', 'Specifying both Canned ACLs and Header Grants is not allowed')
  }
  if (typeof canned === 'string') return aclDocument([[owner, 'FULL_CONTROL'], ...(cannedGrants[canned] ?? [])])
  if (named.length === 0) return undefined
  return aclDocument(named.flatMap((name) => grantsIn(String(headers[name]), permissionsOfHeaders[name] ?? '')))
}

/** Parses a grant header: `uri="…", id="…", emailAddress="…"`. */
function grantsIn(header: string, permission: string): Grant[] {
  const elements: Record<string, Grantee['element']> = { uri: 'URI', id: 'ID', emailAddress: 'EmailAddress' }
  return header.split(',').map((text) => {
    const [, name = '', value = ''] = /^\s*(\w+)="?([^"]*)"?\s*$/.exec(text) ?? []
    const element = elements[name]
    if (!element || value === '') throw invalidArgument(`Argument format not recognized: ${text.trim()}`)
    return [{ element, value }, permission]
  })
}

/** Returns the ACL in a PutAcl request, from headers or body. */
export function aclToSet(bucket: Bucket, request: HttpRequest): string {
  checkAllowsAcls(bucket)
  const inHeaders = aclInHeaders(request)
  const body = request.body.toString('utf8')
  if (inHeaders !== undefined && body !== '') {
    throw new CloudError('UnexpectedContent', 'This request does not support content')
  }
  const document = inHeaders ?? body
  if (document !== '') return document
  throw new CloudError('MissingSecurityHeader', 'Your request was missing a required header')
}

/** Returns the ACL of a new object. If ACLs are disabled, only the owner's full control is accepted. */
export function aclOfNewObject(bucket: Bucket, request: HttpRequest): string | undefined {
  const document = aclInHeaders(request)
  if (document === undefined || request.headers['x-amz-acl'] === 'bucket-owner-full-control') return undefined
  checkAllowsAcls(bucket)
  return document
}

/** "Controlling ownership of objects and disabling ACLs for your bucket", user guide, read 2026-11. */
function checkAllowsAcls({ settings }: Bucket): void {
  if (!settings.ownershipControls?.includes('BucketOwnerEnforced')) return
  throw new CloudError('AccessControlListNotSupported', 'The bucket does not allow ACLs')
}

const aclDocument = (grants: Grant[]) =>
  `<AccessControlPolicy><Owner><ID>owner</ID></Owner><AccessControlList>${grants.map(writeGrant).join('')}</AccessControlList></AccessControlPolicy>`

const granteeTypes = { URI: 'Group', ID: 'CanonicalUser', EmailAddress: 'AmazonCustomerByEmail' }

const writeGrant = ([{ element, value }, permission]: Grant) =>
  `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${granteeTypes[element]}"><${element}>${escaped(value)}</${element}></Grantee><Permission>${permission}</Permission></Grant>`

/** ACL of objects and buckets that were created without one. */
export const privateAcl = aclDocument([[owner, 'FULL_CONTROL']])
