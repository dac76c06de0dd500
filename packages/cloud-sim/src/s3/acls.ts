import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import { escaped } from '../wire/xml.ts'
import { invalidArgument } from './answers.ts'
import type { Bucket } from './state.ts'

/** Who is granted something: a group by its URI, a user by id, or by address. */
type Grantee = { element: 'URI' | 'ID' | 'EmailAddress'; value: string }
type Grant = [grantee: Grantee, permission: string]

const owner: Grantee = { element: 'ID', value: 'owner' }
const group = (name: string): Grantee => ({
  element: 'URI',
  value: `http://acs.amazonaws.com/groups/${name}`,
})
const everyone = group('global/AllUsers')

/** What a canned ACL grants beside full control to the owner ("Canned ACL" in the user guide, read 2026-11). */
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

/** The ACL that a request names in its headers, as a document; undefined where it names none. */
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

/** `uri="…", id="…", emailAddress="…"`. */
function grantsIn(header: string, permission: string): Grant[] {
  const elements: Record<string, Grantee['element']> = { uri: 'URI', id: 'ID', emailAddress: 'EmailAddress' }
  return header.split(',').map((text) => {
    const [, name = '', value = ''] = /^\s*(\w+)="?([^"]*)"?\s*$/.exec(text) ?? []
    const element = elements[name]
    if (!element || value === '') throw invalidArgument(`Argument format not recognized: ${text.trim()}`)
    return [{ element, value }, permission]
  })
}

/** The ACL that a request to set one names, in its headers or its body. */
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

/** The ACL of a new object. Where ACLs are disabled, requests may only confirm what holds anyway. */
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

/** The ACL of what was made without one. */
export const privateAcl = aclDocument([[owner, 'FULL_CONTROL']])
