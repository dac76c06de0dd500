import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { preparedDirectory, run } from './testing/command-line.ts'

const soon = { timeout: 100_000, interval: 50 }

test('SIGHUP takes the levels of the log from the file as it is now, unless something is wrong there', async () => {
  const directory = await preparedDirectory()
  const write = (text: string) => writeFile(join(directory, 'sluice.config.yaml'), text)
  await write('logFormat: json\nlogLevels: [requests=warn]\n')
  const { child, output } = run(directory, ['serve', '--port', '0'])
  await vi.waitFor(() => expect(output.text).toMatch(/"url":"http:[^"]+"/), soon)
  const [, url = ''] = /"url":"(http:[^"]+)"/.exec(output.text) ?? []
  const ask = (id: string) => fetch(`${url}/deployments`, { headers: { 'x-request-id': id } })

  await ask('req-unwanted')
  await write('logFormat: json\nlogLevels: [requests=info]\n')
  child.kill('SIGHUP')
  await vi.waitFor(() => expect(output.text).toContain('are read again'), soon)
  await ask('req-wanted')
  await vi.waitFor(() => expect(output.text).toContain('req-wanted'), soon)
  expect(output.text).not.toContain('req-unwanted')

  await write('logLevels: [requests=loud]\n')
  child.kill('SIGHUP')
  await vi.waitFor(() => expect(output.text).toContain('stay as they are'), soon)
  expect(output.text).toContain('logLevels (sluice.config.yaml) is')
  await ask('req-still-wanted')
  await vi.waitFor(() => expect(output.text).toContain('req-still-wanted'), soon)
})
