import { expect, test } from 'vitest'
import { isFinal } from '../../execution/machine.ts'
import { advanceToStep, command, releaseOf, World } from './environment.fixture.ts'

test('a command that the cloud does not list any more has ended with an unknown result', () => {
  const world = new World({ ...releaseOf({ type: 'rolling' }), preDeploy: { ...command, timeoutSeconds: 86_400 } })
  advanceToStep(world, 'pre-deploy')
  world.advance()
  const startedAt = world.now.getTime()
  world.cloud.commands.clear()
  while (!isFinal(world.row.status)) {
    world.advance()
    world.passToWakeUp()
  }
  expect(world.row).toMatchObject({
    status: 'ERROR',
    error: {
      code: 'Sluice:Deployments:PRE_DEPLOY_FAILED',
      message: expect.stringContaining('the cloud no longer reports how'),
      description: expect.stringContaining('about an hour'),
    },
  })
  const waitedMs = world.now.getTime() - startedAt
  expect(waitedMs, 'a task that was just started may not be shown yet').toBeGreaterThan(300_000)
  expect(waitedMs).toBeLessThan(400_000)
})
