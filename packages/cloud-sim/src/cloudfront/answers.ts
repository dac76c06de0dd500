import { CloudError } from '../errors.ts'
import type { HttpRequest, Reply } from '../wire/protocol.ts'
import { xmlReply } from '../wire/rest-xml.ts'
import { child, children, childText, type Xml } from '../wire/xml.ts'

/** Creates a response in CloudFront's XML namespace. */
export const cdnReply = (
  root: string,
  elements: object,
  more?: { status?: number; headers?: Record<string, string> },
): Reply => xmlReply([root, 'http://cloudfront.amazonaws.com/doc/2020-05-31/'], elements, more)

export const invalidArgument = (message: string) => new CloudError('InvalidArgument', message)

/** Checks the version in `If-Match`, which every change requires. */
export function checkIfMatch({ headers }: HttpRequest, etag: string): void {
  const given = headers['if-match']
  if (given === undefined) {
    throw new CloudError('InvalidIfMatchVersion', 'The If-Match version is missing or not valid for the resource.')
  }
  if (given !== etag) {
    const message = "The request failed because it didn't meet the preconditions in one or more request-header fields."
    throw new CloudError('PreconditionFailed', message, 412)
  }
}

/** Returns the items of a list whose count must match. */
export function itemsOf(list: Xml | undefined, name: string): Xml[] {
  const items = children(child(list, 'Items'), name)
  if (Number(childText(list, 'Quantity')) !== items.length) {
    throw new CloudError('InconsistentQuantities', "The value of Quantity and the size of Items don't match.")
  }
  return items
}
