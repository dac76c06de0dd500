import { spawn } from 'node:child_process'
import { connect, serviceAt, type UrlOption } from './connect.ts'
import { consolePageOf } from './console-page.ts'
import { findRecord } from './record-called.ts'

/** Prints the console URL of a record and, at a terminal, opens it in the browser. */
export async function open(id: string, where: UrlOption): Promise<void> {
  const client = connect(where)
  const page = await consolePageOf(client, await findRecord(client, id))
  const url = `${serviceAt(where)}/console/${page}`
  process.stdout.write(`${url}\n`)
  if (process.stdout.isTTY && !process.env.CI) browse(url)
}

/** Program that opens a URL on each system, started without a shell. */
const browsers: Partial<Record<NodeJS.Platform, readonly [program: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export function browse(url: string): void {
  const [program, ...words] = browsers[process.platform] ?? ['xdg-open']
  const browser = spawn(program, [...words, url], { detached: true, stdio: 'ignore' })
  browser.on('error', () => {}) // there is no such program, but the URL is printed
  browser.unref()
}
