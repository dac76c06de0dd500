import { startStubServer } from '../../testing/stub-server.ts'
import { openCloud } from './access.ts'

/** Recorded request of a client. */
export type Call = { operation: string; input: Record<string, unknown>; headers: Record<string, unknown> }
type ApiError = { code: string; message?: string; status?: number; headers?: Record<string, string> }

const session = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>AK</AccessKeyId>
<SecretAccessKey>SK</SecretAccessKey><SessionToken>ST</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>`

/** Starts a fake cloud whose JSON APIs respond as the test defines. Every role in it can be assumed. */
export async function startAnsweringCloud(
  answer: (call: Call) => { answer: object; headers?: Record<string, string> } | { rejection: ApiError },
) {
  const calls: Call[] = []
  const logged: object[] = []
  const server = await startStubServer(({ headers, body }) => {
    if (body.startsWith('Action=AssumeRole') || body.includes('&Action=AssumeRole')) return { text: session }
    const operation =
      String(headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? ''
    const call = { operation, input: body === '' ? {} : JSON.parse(body), headers }
    calls.push(call)
    const given = answer(call)
    if ('answer' in given) return { body: given.answer, headers: given.headers ?? {} }
    const { code, message = code, status = 400, headers: more = {} } = given.rejection
    return { status, headers: more, body: { __type: code, message } }
  })
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const log = { warn: (fields: object) => void logged.push(fields) }
  const cloud = openCloud({ endpoint: server.url, log })
  const account = {
    id: 'ca_1',
    organizationId: 'org_1',
    roleArn: 'arn:aws:iam::000000000001:role/sluice',
    externalId: 'the external id',
  }
  return {
    calls,
    logged,
    clients: cloud.clientsFor(account, 'eu-west-1'),
    async [Symbol.asyncDispose]() {
      cloud.close()
      await server[Symbol.asyncDispose]()
    },
  }
}
