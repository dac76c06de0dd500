import { expect, test } from 'vitest'
import type { RunTrigger } from '../pipelines/tables.ts'
import { layerCacheOf } from './layers.ts'

const of = (kind: RunTrigger['kind'], payload?: Record<string, unknown>) =>
  layerCacheOf('mi_web', { kind, ...(payload && { payload }) })

test('runs that users or schedules start share layers', () => {
  expect(layerCacheOf('mi_web', null)).toBe('mi_web')
  expect(of('manual')).toBe('mi_web')
  expect(of('schedule', { at: '2026-11-27T10:00:00.000Z' })).toBe('mi_web')
  expect(layerCacheOf('mi_other', null)).toBe('mi_other')
})

test('each branch, pull request and preview of an instance has separate layers, and tags have, too', () => {
  const code_source_id = 'cs_shop'
  const all = [
    of('manual'),
    of('push', { code_source_id, branch: 'main', tag: null }),
    of('push', { code_source_id, branch: 'feature', tag: null }),
    of('push', { code_source_id: 'cs_other', branch: 'main', tag: null }),
    of('push', { code_source_id, branch: null, tag: 'v1' }),
    of('push', { preview_environment_id: 'pe_1', number: 1, commit: 'abc' }),
    of('push', { preview_environment_id: 'pe_2', number: 2, commit: 'abc' }),
    of('pull_request', { code_source_id, number: 1, branch: 'main' }),
    of('pull_request', { code_source_id, number: 2, branch: 'main' }),
    layerCacheOf('mi_other', { kind: 'manual' }),
  ]
  expect(new Set(all).size).toBe(all.length)
  expect(of('push', { code_source_id, branch: null, tag: 'v2' })).toBe(
    of('push', { code_source_id, branch: null, tag: 'v1' }),
  )
})

test('a run that another run started has no layers, because its commits are unknown', () => {
  expect(of('pipeline', { run: { id: 'run_1' } })).toBeUndefined()
})
