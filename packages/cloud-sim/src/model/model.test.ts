import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { services } from '../services.ts'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud

beforeAll(async () => {
  cloud = await startCloud({ isSigned: false })
})
afterAll(() => cloud[Symbol.asyncDispose]())

/** Sends what no client would send. */
async function ask(service: string, target: string, body: string, headers: Record<string, string> = {}) {
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-west-1/${service}/aws4_request`
  const all = { authorization, 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.1', ...headers }
  const answer = await fetch(cloud.url, { method: 'POST', headers: all, body })
  return { status: answer.status, text: await answer.text() }
}

const jsonError = (code: string, message: RegExp) => ({
  status: 400,
  text: expect.stringMatching(new RegExp(`"__type":"${code}","message":"${message.source}`)),
})

describe('a request that is not as the model of its service', () => {
  test(
    'cannot be read if it is malformed',
    everyCase(
      [
        ['a number for a text', { cluster: 7 }, /NUMBER_VALUE can not be converted to a String/],
        ['a text for a number', { maxResults: 'ten' }, /STRING_VALUE can not be converted to an Integer/],
        ['a structure for a text', { cluster: {} }, /START_OBJECT can not be converted to a String/],
      ] as const,
      async (_, input, message) => {
        const answer = await ask('ecs', 'AmazonEC2ContainerServiceV20141113.ListServices', JSON.stringify(input))
        expect(answer).toEqual(jsonError('SerializationException', message))
      },
    ),
  )

  test('is refused for all its faults together, each with its place', async () => {
    const input = { Name: '', Value: 'a', Type: 'Number', Tags: [{ Key: 'x'.repeat(129), Value: '' }] }
    const answer = await ask('ssm', 'AmazonSSM.PutParameter', JSON.stringify(input))
    expect(answer.text).toContain('3 validation errors detected')
    for (const place of ["'name'", "'type'", "'tags.1.member.key'"]) expect(answer.text).toContain(`at ${place} failed`)
  })

  test('has the name of its error from its service', async () => {
    const missing = await ask('logs', 'Logs_20140328.CreateLogStream', '{}')
    expect(missing).toEqual(jsonError('InvalidParameterException', /2 validation errors detected: Value null at/))
    expect(await ask('sqs', 'AmazonSQS.CreateQueue', '{}')).toEqual(jsonError('MissingParameter', /The request must/))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const short = 'Action=AssumeRole&Version=2011-06-15&RoleArn=x&RoleSessionName=y&DurationSeconds=60'
    expect((await ask('sts', '', short, form)).text).toContain('<Code>ValidationError</Code>')
  })

  test('is read as before where it has members that the model does not know', async () => {
    const answer = await ask('ecs', 'AmazonEC2ContainerServiceV20141113.ListClusters', '{"future":true}')
    expect(answer.status).toBe(200)
  })

  test('is never what the client makes by itself', async () => {
    const sqs = new SQSClient(cloud.settings)
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'a-queue' }))
    await sqs.send(new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'] }))
    sqs.destroy()
  })
})

test('every operation has its model: packages/cloud-sim/models/generate.sh writes it', () => {
  for (const [name, { model, operations }] of Object.entries(services)) {
    const missing = [...operations.keys()].filter((operation) => !(operation in model.operations))
    expect([name, missing]).toEqual([name, []])
  }
})

test('models are facts without words of documentation', () => {
  const folder = join(import.meta.dirname, '..')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.model.json'),
  )
  expect(files.length).toBeGreaterThan(10)
  for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toContain('"documentation"')
})
