import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'

/** Starts a process whose stop takes this long, with this allowance. */
async function stoppingIn(ms: number, patienceMs = 0) {
  const script = `
    import { runUntilStopped } from ${JSON.stringify(new URL('./run-until-stopped.ts', import.meta.url).href)}
    import { setTimeout } from 'node:timers/promises'
    await runUntilStopped(async () => {
      setInterval(() => {}, 60_000) // a server would keep the process alive
      console.log('running')
      return { stop: async () => { console.log('stopping'); await setTimeout(${ms}) } }
    }, { patienceMs: ${patienceMs} })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exit = once(child, 'close').then(([code]) => ({ code, afterMs: performance.now() - askedAt, output }))
  const saw = (text: string) => untilPasses(() => expect(output).toContain(text))
  await saw('running')
  const askedAt = performance.now()
  child.kill('SIGINT')
  await saw('stopping')
  return { child, exit }
}

test.concurrent('a signal stops it in order', async () => {
  const { child, exit } = await stoppingIn(300)
  child.kill('SIGINT') // the same keystroke, forwarded by npm
  expect(await exit).toMatchObject({ code: 0 })
  expect((await exit).afterMs).toBeGreaterThanOrEqual(290)
})

test.concurrent('a second Ctrl-C ends it at once', async () => {
  const { child, exit } = await stoppingIn(20_000)
  const again = setInterval(() => child.kill('SIGINT'), 100)
  const { code, output } = await exit
  clearInterval(again)
  expect(code).toBe(1)
  expect(output).toContain('ending at once')
})

test.concurrent('a stop that hangs is cut short after 5 s', async () => {
  const { code, afterMs, output } = await (await stoppingIn(60_000)).exit
  expect(code).toBe(1)
  expect(afterMs).toBeGreaterThanOrEqual(4_900)
  expect(output).toContain('not stopped after 5 s')
})

test.concurrent('work in progress gets its allowance in addition', async () => {
  expect(await (await stoppingIn(6_000, 2_000)).exit).toMatchObject({ code: 0 })
})
