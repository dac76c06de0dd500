import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { Attempt } from '../attempt.ts'
import { overrideFile } from './backend.ts'

/** A folder that programs have written to. Read it with `readResult` only, which does not follow links. */
export type ConfigurationFolder = { directory: string; attempt: Pick<Attempt, 'directory' | 'readResult'> }

/** File of the root module. */
export type ConfigurationFile = { file: string; text: string }

/** Maximum size of a file to read, in bytes. */
const maxBytes = 1024 * 1024
const configurationFile = /\.(?:tf|tofu)(?:\.json)?$/

/**
 * Reads the files of the root module in the order of their names, without Sluice's own. One at a time, because a
 * repository may have any number of them.
 */
export async function* readConfigurationFiles({
  directory,
  attempt,
}: ConfigurationFolder): AsyncGenerator<ConfigurationFile> {
  const names = (await readdir(directory))
    .filter((name) => configurationFile.test(name) && name !== overrideFile)
    .sort()
  for (const file of names) {
    const result = await attempt.readResult(join(relative(attempt.directory, directory), file), maxBytes)
    if (result && 'content' in result) yield { file, text: result.content.toString() }
  }
}

/** Returns the blocks of a type in a JSON file; none if the file is invalid, which the tool reports. */
export function readJsonBlocks({ text }: ConfigurationFile, type: string): object[] {
  try {
    return [Object(parseBoundedJson(text))[type] ?? []].flat().map(Object)
  } catch {
    return []
  }
}

type Block = { type: string; label: string }

/** Line of HCL: its first two words without quotes, the blocks around it, and whether it opens a block. */
export type HclStatement = { words: readonly string[]; blocks: readonly Block[]; opensBlock: boolean; index: number }

/** Unterminated comments, heredocs and strings match up to the end of the file, so that each character is read once. */
const tokens =
  /(?:#|\/\/)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<<-?(\w+)\r?(?=\n)[\s\S]*?(?:\n[ \t]*\1\b|$)|"(?:\\.|[^"\\\n])*(?:"|\n|$)|[{}\n]|[\w-]+/g

/** Tracks the braces of HCL. `blocks` is the same array in all statements and valid until the next one. */
export function* readStatements(text: string): Generator<HclStatement> {
  const blocks: Block[] = []
  let words: string[] = []
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (/^[\w"-]/.test(token)) {
      if (words.length < 2) words.push(token.replaceAll('"', ''))
      continue
    }
    const opensBlock = token === '{'
    if (words.length > 0) yield { words, blocks, opensBlock, index }
    const [type = '', label = ''] = words
    if (opensBlock) blocks.push({ type, label })
    if (token === '}') blocks.pop()
    words = []
  }
}
