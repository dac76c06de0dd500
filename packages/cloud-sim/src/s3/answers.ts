import { CloudError } from '../errors.ts'
import type { Reply } from '../wire/protocol.ts'
import { xmlReply } from '../wire/rest-xml.ts'

/** Creates a response in S3's XML namespace. */
export const s3Reply = (root: string, elements: object, headers: Record<string, string> = {}): Reply =>
  xmlReply([root, 'http://s3.amazonaws.com/doc/2006-03-01/'], elements, { headers })

export const noSuchKey = () => new CloudError('NoSuchKey', 'The specified key does not exist.', 404)

export const invalidArgument = (message: string) => new CloudError('InvalidArgument', message)
