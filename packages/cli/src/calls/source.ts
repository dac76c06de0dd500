import { removeControlCharacters } from '@sluice/calls/control-characters'
import { connect, type UrlOption } from './connect.ts'
import type { OutputOption } from './output.ts'
import { printAnswer } from './print.ts'

/** Prints the source of a release, one line per known fact. */
export async function source(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const { included } = await connect(wishes).getDeployment({ params: { id }, query: { include: ['source'] } })
  const { object, message, ...known } = included?.source ?? {}
  if (wishes.output) return printAnswer(included?.source ?? {}, wishes)
  const lines = {
    ...known,
    ...(message !== undefined && { message: message.trim().split('\n')[0] }),
    ...(object && { object: `${object.bucket}/${object.key}` }),
  }
  const names = Object.entries(lines)
  if (names.length === 0) process.stderr.write('Its sources are unknown.\n')
  for (const [name, value] of names)
    process.stdout.write(`${name.padEnd(nameWidth)}${removeControlCharacters(String(value))}\n`)
}

/** Width of the longest name, with a gap. */
const nameWidth = 'imageDigest'.length + 2
