import { readFileSync } from 'node:fs'
import { apiErrors, failures, notificationTypes, type Route, routes } from '@sluice/contract'
import { expect, test } from 'vitest'
import { openApiDocument } from './document.ts'

type Json = Record<string, unknown>

const listFile = new URL('names.txt', import.meta.url)
const listed = readFileSync(listFile, 'utf8').trimEnd().split('\n')
const present = namesOf(openApiDocument(Object.values(routes)) as unknown as Described)

test('no name of the interface was removed or renamed', () => {
  const removed = listed.filter((line) => !present.has(line))
  expect(removed, 'Scripts depend on these names. Restore them, or deprecate them before a major version.').toEqual([])
})

test('each name of the interface is listed', () => {
  const known = new Set(listed)
  const added = [...present].filter((line) => !known.has(line))
  expect(added, `Check that these names are standard terms, then add them to ${listFile.pathname}.`).toEqual([])
})

test('the list is sorted and has no duplicates', () => {
  expect(listed).toEqual([...new Set(listed)].toSorted())
})

type Described = {
  paths: Record<string, Record<string, Json & { operationId: string; parameters?: Json[] }>>
  components: { schemas: Record<string, Json> }
}

/** Returns a line for each operation, parameter, schema, field, value, error code, event type and permission. */
function namesOf({ paths, components }: Described): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, parameters = [], requestBody, responses }] of Object.entries(methods)) {
      names.add(`operation ${operationId} ${method.toUpperCase()} ${path}`)
      for (const parameter of parameters) {
        if (parameter.in !== 'query') continue
        names.add(`query ${operationId} ${parameter.name}`)
        addNames(names, parameter.schema, `${operationId}?${parameter.name}`)
      }
      addNames(names, requestBody, `${operationId} request`)
      addNames(names, responses, `${operationId} response`)
    }
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    names.add(`schema ${name}`)
    addNames(names, schema, name)
  }
  for (const { code } of [...Object.values(apiErrors), ...Object.values(failures)]) names.add(`error ${code}`)
  for (const type of notificationTypes) names.add(`event ${type}`)
  for (const { permission } of Object.values<Route>(routes))
    if (typeof permission === 'string') names.add(`permission ${permission}`)
  return names
}

/** Adds the fields and values that a schema defines itself; references are listed with their own schema. */
function addNames(names: Set<string>, node: unknown, place: string): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node as Json)) {
    if (key === 'example' || key === 'examples' || key === 'default') continue
    if (key === 'properties') addFields(names, value as Json, place)
    else if (key === 'enum') for (const one of value as unknown[]) names.add(`value ${place} ${one}`)
    else if (key === 'const') names.add(`value ${place} ${value}`)
    else addNames(names, value, place)
  }
}

function addFields(names: Set<string>, fields: Json, place: string): void {
  for (const [field, schema] of Object.entries(fields)) {
    names.add(`field ${place}.${field}`)
    addNames(names, schema, `${place}.${field}`)
  }
}
