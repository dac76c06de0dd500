import { type ActsOn, routes } from '@sluice/contract'
import { expect, test } from 'vitest'
import { domains } from '../domains.ts'
import { isRecord } from './records.ts'

const declarations = domains.flatMap(({ records = [] }) => records)
const namesOf = (on: ActsOn) => [...Object.values(on.params ?? {}), ...Object.values(on.body ?? {})]

test('each record type that a route names declares its scopes in the records.ts of one domain', () => {
  const named = new Set(Object.values(routes).flatMap((route) => ('on' in route ? namesOf(route.on) : [])))
  const placed = declarations.filter(({ places }) => places).map(({ collection }) => collection)
  expect([...named].filter((record) => !placed.includes(record))).toEqual([])
})

test('collections and id prefixes are unique, and records depend only on declared collections', () => {
  const collections = declarations.map(({ collection }) => collection)
  const records = declarations.filter(isRecord)
  const prefixes = records.map(({ prefix }) => prefix)
  expect(collections).toHaveLength(new Set(collections).size)
  expect(prefixes).toHaveLength(new Set(prefixes).size)
  const required = records.flatMap(({ dependsOn = {} }) => Object.keys(dependsOn))
  expect(required.filter((collection) => ![...collections, 'organizations'].includes(collection))).toEqual([])
})
