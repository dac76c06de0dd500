import { findModuleInstance } from '@sluice/calls/find'
import type { Client } from '@sluice/client'
import type { ModuleInstanceLogLine, StepLogChunk } from '@sluice/contract'
import { Type } from 'typebox'
import { counted } from '../answer.ts'
import { replaceInvisible, truncate } from '../quote.ts'
import { defineReadTool, id, idOrGivenId, inputOf } from '../tool.ts'

/** Maximum length of a result in characters: about 5,000 tokens. */
const maxLogLength = 20_000
const maxLineLength = 1_000

const lines = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 500, description: 'How many of the last lines, at most; 100 if absent.' }),
)

export const readLog = defineReadTool({
  name: 'read_log',
  title: 'Read the log of a step',
  description: 'The last lines that a step of a run of a pipeline wrote. explain_run tells the ids of the steps.',
  input: inputOf({ stepId: id('the step, as explain_run tells it: not its name in the configuration'), lines }),
  needs: 'pipeline-runs:read',
  async answer(client, { stepId, lines: most = 100 }) {
    const written = await lastLinesOf(client, stepId)
    return answerOf(written, most)
  },
})

/** Returns the last lines of a step, without reading a long log from its start. */
export async function lastLinesOf(client: Client, stepId: string): Promise<string[]> {
  const text = (await lastPieces(client, stepId)).map((piece) => piece.text).join('')
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

const pageSize = 100

/**
 * Finds the last chunk of a log. Chunks are numbered from 1, but the API does not return the last number. Doubles the
 * step, then bisects: about twenty requests for a million chunks.
 */
async function lastPieces(client: Client, stepId: string): Promise<StepLogChunk[]> {
  const after = async (piece: number, limit = pageSize) => {
    const query = { limit, cursor: String(piece) }
    return (await client.getPipelineStepExecutionLogs({ params: { id: stepId }, query })).data
  }
  const first = await after(0)
  if (first.length < pageSize) return first
  let [low, high] = [pageSize, 2 * pageSize]
  while ((await after(high, 1)).length > 0) [low, high] = [high, 2 * high]
  while (high - low > pageSize / 2) {
    const middle = Math.floor((low + high) / 2)
    if ((await after(middle, 1)).length > 0) low = middle
    else high = middle
  }
  return after(low - pageSize / 2)
}

export const readInstanceLog = defineReadTool({
  name: 'read_instance_log',
  title: 'Read the log of a module instance',
  description: 'The last lines that what runs for a module instance wrote, from the log of its cloud account.',
  input: inputOf({
    instance: idOrGivenId('the module instance'),
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440, description: 'How far back; 10 if absent.' })),
    filter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        description: "Only lines that match, in the cloud's own pattern language.",
      }),
    ),
    sourceId: Type.Optional(id('one of the logs in the `ui` of the instance; the first one if absent')),
    lines,
  }),
  needs: 'module-instances:read',
  async answer(client, { instance, minutes = 10, lines: most = 100, ...narrower }) {
    const { id: instanceId } = await findModuleInstance(client, instance)
    const startTime = new Date(Date.now() - minutes * 60_000).toISOString()
    const written = await newestLines(client, instanceId, most + 1, { startTime, ...narrower })
    return answerOf(
      written.map(({ timestamp, message }) => `${timestamp} ${message.trimEnd()}`),
      most,
    )
  },
})

/** Maximum number of pages to read. A page can be short or empty and still have a next one. */
const maxPages = 10

async function newestLines(
  client: Client,
  instanceId: string,
  limit: number,
  range: object,
): Promise<ModuleInstanceLogLine[]> {
  const found: ModuleInstanceLogLine[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && found.length < limit && cursor !== ''; page += 1) {
    const query = { ...range, limit: Math.min(100, limit - found.length), ...(cursor && { cursor }) }
    const { data, meta } = await client.getModuleInstanceLogs({ params: { id: instanceId }, query })
    found.push(...data)
    cursor = meta.nextCursor
  }
  return found.reverse()
}

/** Returns the requested number of last lines, within the maximum length. */
function answerOf(written: readonly string[], limit: number) {
  const told = fittingEnd(written.slice(-limit).map((line) => truncate(replaceInvisible(line), maxLineLength)))
  const left = told.length < written.length ? ' There are more before them.' : ''
  return { says: `The last ${counted(told.length, 'line')}.${left}`, lines: told, data: { lines: told } }
}

function fittingEnd(written: readonly string[]): string[] {
  let room = maxLogLength
  const isBeyond = ({ length }: string) => {
    room -= length + 1
    return room < 0
  }
  return written.slice(written.findLastIndex(isBeyond) + 1)
}
