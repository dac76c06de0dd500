import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { routesOf } from './model/routes.ts'
import type { CloudService } from './service.ts'
import { services } from './services.ts'
import { startCloud, type TestCloud } from './testing/cloud.ts'

let cloud: TestCloud

beforeAll(async () => {
  cloud = await startCloud({ isSigned: false })
})
afterAll(() => cloud[Symbol.asyncDispose]())

interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Returns a minimal request for an operation. */
function requestOf({ model, protocol }: CloudService, operation: string): Sent {
  if (protocol.form === 'query' || protocol.form === 'ec2') {
    const body = `Action=${operation}&Version=${model.version}`
    return { method: 'POST', path: '/', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
  }
  if (model.target !== undefined) {
    return { method: 'POST', path: '/', headers: { 'x-amz-target': `${model.target}.${operation}` }, body: '{}' }
  }
  const route = routesOf(model).find((one) => one.operation === operation)
  const [method = '', address = ''] = (route?.http ?? '').split(' ')
  const query = (route?.requiredQuery ?? []).map((name) => `${name}=1`).join('&')
  return {
    method,
    path: `${address.replaceAll(/\{\w+\+?\}/g, 'abc')}${address.includes('?') ? '&' : '?'}${query}`,
    headers: Object.fromEntries((route?.requiredHeaders ?? []).map((name) => [name, 'x'])),
  }
}

async function send(service: string, { method, path, headers, body }: Sent) {
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/${service}/aws4_request`
  const answer = await fetch(cloud.url + path, {
    method,
    headers: { ...headers, authorization },
    ...(body && { body }),
  })
  return { status: answer.status, text: await answer.text() }
}

const namesIn = ({ model }: CloudService): string[] => [
  ...Object.keys(model.operations),
  ...model.others.map((other) => other.split(' ')[0] ?? ''),
]

test(
  'the simulated cloud runs or rejects every operation of a service under its own name',
  everyCase(Object.keys(services), async (name) => {
    const service = services[name]
    if (!service) throw new Error(`There is no service ${name}.`)
    const names = namesIn(service)
    const since = (await cloud.control.calls({ limit: 100_000 })).at(-1)?.seq ?? 0
    const texts: string[] = []
    for (const operation of names) {
      texts.push((await send(name, requestOf(service, operation))).text)
    }
    const calls = await cloud.control.calls({ service: name, since, limit: names.length + 1 })
    const where = 'see packages/cloud-sim/src/wire/router.ts, and models/generate.py for the list of operations'
    expect(
      calls.map(({ operation }) => operation),
      where,
    ).toEqual(names)
    const { code } = service.protocol.errors.unknownOperation('')
    const refused = calls.filter(({ errorCode }) => errorCode === code).map(({ operation }) => operation)
    const isSimulated = (operation: string) => service.operations.has(operation)
    expect(refused, where).toEqual(names.filter((operation) => !isSimulated(operation)))
    const unnamed = names.filter((operation, index) => !isSimulated(operation) && !texts[index]?.includes(operation))
    expect(unnamed, where).toEqual([])
  }),
  120_000,
)

test(
  'a request without an operation is rejected',
  everyCase<[service: string, Sent, text: string]>(
    [
      ['s3', { method: 'DELETE', path: '/bucket?acl' }, 'MethodNotAllowed'],
      ['s3', { method: 'POST', path: '/bucket/key?tagging' }, 'MethodNotAllowed'],
      ['s3', { method: 'PUT', path: '/bucket?uploads' }, 'MethodNotAllowed'],
      ['s3', { method: 'PUT', path: '/bucket/key?uploadId=1' }, 'partNumber'],
      ['s3', { method: 'PATCH', path: '/bucket/key' }, 'MethodNotAllowed'],
      ['s3', { method: 'GET', path: '/bucket/%ff' }, 'InvalidURI'],
      ['lambda', { method: 'PATCH', path: '/2015-03-31/functions/f' }, 'UnknownOperationException'],
      ['lambda', { method: 'GET', path: '/2014-11-13/functions/f' }, 'UnknownOperationException'],
      ['route53', { method: 'GET', path: '/2012-12-12/hostedzone' }, 'InvalidAction'],
      [
        'ecs',
        { method: 'POST', path: '/', headers: { 'x-amz-target': 'AmazonSSM.ListClusters' }, body: '{}' },
        'Unknown',
      ],
      [
        'ecs',
        { method: 'POST', path: '/', headers: { 'x-amz-target': 'ListClusters' }, body: '{}' },
        'UnknownOperation',
      ],
      [
        'ecs',
        {
          method: 'POST',
          path: '/v2',
          headers: { 'x-amz-target': 'AmazonEC2ContainerServiceV20141113.ListClusters' },
          body: '{}',
        },
        'UnknownOperationException',
      ],
      ['sts', { method: 'POST', path: '/', body: 'Action=GetCallerIdentity' }, 'NO_VERSION_SPECIFIED'],
      ['sts', { method: 'POST', path: '/', body: 'Action=GetCallerIdentity&Version=2014-11-01' }, 'InvalidAction'],
      ['sts', { method: 'POST', path: '/', body: 'Version=2011-06-15' }, 'MissingAction'],
      ['sts', { method: 'PUT', path: '/', body: 'Action=GetCallerIdentity&Version=2011-06-15' }, 'InvalidAction'],
      ['ec2', { method: 'POST', path: '/', body: 'Action=DescribeVpcs&Version=2010-01-01' }, 'NoSuchVersion'],
    ],
    async (service, request, text) => {
      const answer = await send(service, request)
      expect(answer.text).toContain(text)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
    },
  ),
)

test('form parameters can be in the query of a GET', async () => {
  const path = '/?Action=GetCallerIdentity&Version=2011-06-15'
  expect(await send('sts', { method: 'GET', path })).toMatchObject({ status: 200 })
})
