import { spawn } from 'node:child_process'
import { connect, serviceAt, type Where } from './connect.ts'
import { consolePageOf } from './console-page.ts'
import { recordCalled } from './record-called.ts'

/** Prints where the console shows what an id stands for and, at a terminal, has the browser show it. */
export async function open(id: string, where: Where): Promise<void> {
  const client = connect(where)
  const page = await consolePageOf(client, await recordCalled(client, id))
  const url = `${serviceAt(where)}/console/${page}`
  process.stdout.write(`${url}\n`)
  if (process.stdout.isTTY && !process.env.CI) browse(url)
}

/** What shows an address on each system, with the words before it. No shell reads any of it. */
const browsers: Partial<Record<NodeJS.Platform, readonly [program: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export function browse(url: string): void {
  const [program, ...words] = browsers[process.platform] ?? ['xdg-open']
  const browser = spawn(program, [...words, url], { detached: true, stdio: 'ignore' })
  browser.on('error', () => {}) // there is none, and the address stands there
  browser.unref()
}
