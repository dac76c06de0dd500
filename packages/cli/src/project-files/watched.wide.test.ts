import { Client } from '@sluice/server/testing/client'
import { seedOrganization, startHttpWorld } from '@sluice/server/testing/http-world'
import { createOneOfEverything } from '@sluice/server/testing/resources'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDirectory, runToCompletion } from '../testing/command-line.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('the plan of a watched repository is printed and applied once after confirmation', async () => {
  const { key, organizationId } = await seedOrganization(world.db)
  const { byPath } = await createOneOfEverything(world.db, { organizationId })
  const cwd = await emptyDirectory()
  const project = byPath.projects ?? ''
  const sluice = (...words: string[]) => runToCompletion(cwd, words, { SLUICE_URL: world.url, SLUICE_TOKEN: key })

  const shown = await sluice('watched', 'show', project)
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.stdout).toContain(
    'PENDING_APPROVAL: infrastructure of the branch main at aaaaaaaaaa, nothing was applied',
  )
  expect(shown.stdout).toContain('+ Environment one')

  expect(await sluice('watched', 'apply', project)).toMatchObject({ code: 2 })
  expect(await sluice('watched', 'apply', project, '--yes')).toMatchObject({ code: 0 })
  const watched = await new Client(world.url, key).done(
    'GET',
    `/watched-repositories/${byPath['watched-repositories']}`,
  )
  expect(watched).toMatchObject({ approvedBy: expect.any(String) })
  expect((await sluice('watched', 'look', project)).code).toBe(0)
  expect((await sluice('watched', 'show', 'nothing')).code).toBe(1)
})
