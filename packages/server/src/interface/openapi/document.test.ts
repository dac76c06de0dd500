import { createConfig, lintFromString } from '@redocly/openapi-core'
import { hasResponseBody, notificationTypes, type Route, routes, sentNoticeTypes, tags } from '@sluice/contract'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { openApiDocument } from './document.ts'
import { exampleOf } from './examples.ts'
import { asJson } from './json-schema.ts'

const all: readonly Route[] = Object.values(routes)
const document = openApiDocument(all)

test('a public linter finds no errors in it', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  const told = problems.map(({ ruleId, severity, message, location }) => {
    const [place] = location
    return `${severity} ${ruleId}: ${message} at ${place?.pointer}`
  })
  // These operations only redirect.
  const known = /^warn operation-2xx-response: .* at #\/paths\/\S+~1callback\/get\/responses$/
  expect(told.filter((line) => !known.test(line))).toEqual([])
})

test('every operation of the contract is in it, once', () => {
  const described = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((operation) => (operation as { operationId: string }).operationId),
  )
  expect(described.toSorted()).toEqual(all.map(({ operationId }) => operationId).toSorted())
})

test('every webhook event is in it, with the schema of its body', () => {
  expect(Object.keys(document.webhooks)).toEqual([...notificationTypes, 'channel.test', 'channel.broken'])
  for (const type of sentNoticeTypes) {
    expect(document.webhooks[type], type).toMatchObject({
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                additionalProperties: false,
                required: ['type', 'timestamp', 'data'],
                properties: { type: { const: type }, data: { $ref: expect.stringMatching(/\/\w+Notice$/) } },
              },
            },
          },
        },
      },
    })
  }
})

test('its groups are used and described', () => {
  const used = new Set<string>(all.map(({ tag }) => tag))
  expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(tags).filter((name) => used.has(name)))
})

test('every reference can be resolved', () => {
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer)
  expect(references.length).toBeGreaterThan(0)
  const dangling = references.filter((pointer) => {
    const names = pointer.split('/').slice(1)
    return names.reduce<unknown>((value, name) => Reflect.get(Object(value), name), document) === undefined
  })
  expect(dangling).toEqual([])
})

const parts = all.flatMap((route) => {
  const { operationId, params, query, body, response } = route
  const answer = hasResponseBody(route) ? response[1] : undefined
  return Object.entries({ params, query, body, answer }).flatMap(([part, schema]) =>
    schema ? [{ operationId, part, schema }] : [],
  )
})

test(
  'every example matches its schema',
  everyCase(parts, ({ schema }) => {
    expect(Compile(schema).Errors(exampleOf(asJson(schema)))).toEqual([])
  }),
)
