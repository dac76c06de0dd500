import { expect, test } from 'vitest'
import { earlierReleases } from './earlier-releases.ts'

const release = (id: string, deploymentType: 'cloud:ecs' | 'cloud:lambda' = 'cloud:ecs') => ({ id, deploymentType })

test('what came before the one that runs can be gone back to, where it is of the same type', () => {
  const all = [release('3'), release('2', 'cloud:lambda'), release('1')]
  expect(earlierReleases(all, '3')).toEqual({ live: all[0], earlier: [all[2]] })
  expect(earlierReleases(all, '2').earlier).toEqual([])
})

test('where the one that runs is not among them, it is the newest', () => {
  const all = [release('2'), release('1')]
  expect(earlierReleases(all, 'gone').live).toBe(all[0])
  expect(earlierReleases([], undefined)).toEqual({ live: undefined, earlier: [] })
})
