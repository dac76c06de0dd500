import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { testSeed } from '../../../testing/seed.ts'
import { requestOf, type SerializedRequest } from '../checks/mutations/requests.ts'
import { example } from '../checks/mutations/values.ts'
import { chance, seedChance } from './chance.ts'
import { type Model, shapeOf } from './model/model.ts'
import type { WireFormat } from './model/values.ts'
import { services } from './services.ts'
import { startCloud, type TestCloud } from './testing/cloud.ts'

let cloud: TestCloud

beforeAll(async () => {
  seedChance(testSeed)
  cloud = await startCloud({ isSigned: false, checksAnswers: false })
  await makeExamples()
})
afterAll(() => cloud[Symbol.asyncDispose]())

type Fields = Record<string, unknown>

const texts = [
  '',
  ' ',
  '0',
  '-1',
  '1e400',
  '99999999999999999999',
  'x'.repeat(3000),
  'arn:aws:',
  '*',
  '%',
  '[]',
  '{}',
  '../..',
]
/** Values that no member expects. JSON can represent all of them; other formats only text. */
const junk: Record<'json' | 'text', readonly unknown[]> = {
  json: [...texts, null, true, -1, 0.5, 2 ** 53, 1e308, [], {}, [null], [''], [{}], [[]], { '': null }, '\u0000'],
  text: texts,
}

const oneOf = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T

/** Number of random faults per operation, in addition to an empty value for each member. */
const randomFaults = 15

/** Yields valid requests with one member replaced, at the top level or one below. */
function* faultyInputs(model: Model, operation: string, form: WireFormat): Generator<Fields> {
  const at = model.operations[operation]?.input
  const valid = at === undefined ? undefined : (example(model, at) as Fields | undefined)
  if (at === undefined || valid === undefined) return
  const names = Object.keys(valid)
  const isList = (name: string) => shapeOf(model, shapeOf(model, at).members?.[name] ?? '').type === 'list'
  const values = form === 'json' ? junk.json : junk.text
  for (const name of names) yield { ...valid, [name]: isList(name) ? [] : '' }
  for (let sent = 0; names.length > 0 && sent < randomFaults; sent += 1) {
    const name = oneOf(names)
    const inner = valid[name]
    const isNested = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && chance() < 0.7
    const innerName = isNested ? oneOf(Object.keys(inner)) : ''
    const isText = form === 'json' || (!isNested && !isList(name))
    const value = isText ? oneOf(values) : []
    yield { ...valid, [name]: isNested && form === 'json' ? { ...inner, [innerName]: value } : value }
  }
}

async function send(service: string, { method, path, headers, body }: SerializedRequest) {
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/${service}/aws4_request`
  const answer = await fetch(cloud.url + path, {
    method,
    headers: { ...headers, authorization },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** Creates example resources in two passes, since some depend on others, so that faulty requests find them. */
async function makeExamples(): Promise<void> {
  for (const round of ['first', 'second']) {
    for (const [name, { model, protocol, operations }] of Object.entries(services)) {
      for (const operation of operations.keys()) {
        if (!/^(Create|Put|Register|Request|Publish|Send)/.test(operation)) continue
        const at = model.operations[operation]?.input
        const input = at === undefined ? undefined : (example(model, at) as Fields | undefined)
        if (!input) continue
        const clientToken = 'clientToken' in input ? { clientToken: round } : {}
        await send(name, requestOf(model, operation, { ...input, ...clientToken }, protocol.form))
      }
    }
  }
}

/** Reports whether a status is a server error. S3 responds with 501 to unsupported operations. */
const isServerError = (status: number) => status >= 500 && status !== 501

test(
  'no faulty member causes a server error, which packages/cloud-sim prints with its stack',
  everyCase(Object.keys(services), async (name) => {
    const { model, protocol, operations } = services[name] ?? {}
    if (!model || !protocol || !operations) throw new Error(`There is no service ${name}.`)
    const failures: string[] = []
    for (const operation of operations.keys()) {
      for (const input of faultyInputs(model, operation, protocol.form)) {
        const asked = requestOf(model, operation, input, protocol.form)
        const { status, text } = await send(name, asked)
        if (isServerError(status))
          failures.push(`${operation} ${asked.path} ${asked.body.slice(0, 300)}: ${text.slice(0, 200)}`)
      }
    }
    expect(failures).toEqual([])
  }),
  600_000,
)

const json = (target: string, body: string | Uint8Array) => ({
  method: 'POST',
  path: '/',
  headers: { 'x-amz-target': target },
  body,
})
const form = (body: string) => ({
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

test(
  'no malformed request causes a server error',
  everyCase<[service: string, { method: string; path: string; headers?: object; body?: string | Uint8Array }]>(
    [
      ['ecs', json('AmazonEC2ContainerServiceV20141113.ListClusters', new Uint8Array([0x7b, 0xff, 0x7d]))],
      ['ecs', json('AmazonEC2ContainerServiceV20141113.ListClusters', '[]')],
      ['ecs', json('AmazonEC2ContainerServiceV20141113.ListClusters', '{"a":')],
      ['elasticloadbalancing', form('Action=CreateLoadBalancer&Version=2015-12-01&Name=a&Subnets=')],
      ['elasticloadbalancing', form('Action=CreateLoadBalancer&Version=2015-12-01&Name=a&Subnets.member=a')],
      ['elasticloadbalancing', form('Action=DescribeLoadBalancers&Version=2015-12-01&Names.member.1.x=a')],
      ['elasticloadbalancing', form('Action.x=1&Version=2015-12-01')],
      ['ec2', form('Action=DescribeVpcs&Version=2016-11-15&VpcId=')],
      ['s3', { method: 'GET', path: '/bucket/%zz' }],
      ['s3', { method: 'GET', path: '//' }],
      ['s3', { method: 'GET', path: '/bucket?prefix=%ff' }],
      ['s3', { method: 'PUT', path: '/bucket', body: '<a><b></a>' }],
      ['s3', { method: 'PUT', path: '/bucket/key', headers: { 'x-amz-copy-source': '%zz' } }],
      ['route53', { method: 'POST', path: '/2013-04-01/hostedzone', body: '<x/>' }],
      ['lambda', { method: 'GET', path: '/2015-03-31/functions/%E0%A4%A' }],
    ],
    async (service, { method, path, headers, body }) => {
      const authorization = `AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/${service}/aws4_request`
      const answer = await fetch(cloud.url + path, {
        method,
        headers: { ...headers, authorization },
        ...(body && { body }),
      })
      expect(isServerError(answer.status), await answer.text()).toBe(false)
    },
  ),
)

test('a rejected load balancer does not exist and does not affect describe calls', async () => {
  const ask = async (action: string) => {
    const { headers, ...request } = form(`${action}&Version=2015-12-01`)
    const authorization = 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-north-1/elasticloadbalancing/aws4_request'
    const answer = await fetch(cloud.url, { ...request, headers: { ...headers, authorization } })
    return [answer.status, await answer.text()]
  }
  expect(await ask('Action=CreateLoadBalancer&Name=empty&Subnets=')).toEqual([
    400,
    expect.stringContaining('ValidationError'),
  ])
  expect(await ask('Action=DescribeLoadBalancers')).toEqual([200, expect.not.stringContaining('empty')])
})
