import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Terraform `variable` or `output` block, as shown in a table. */
type Block = { name: string; text: string }

/** Returns the README of a Terraform module with its tables of inputs and outputs generated anew. */
export function currentReadme(directory: string): string {
  const read = (file: string) => readFileSync(join(directory, file), 'utf8')
  const inputs = blocksOf(read('variables.tf'), 'variable').map(inputRow)
  const outputs = blocksOf(read('outputs.tf'), 'output').map(outputRow)
  const tables: Record<string, string[]> = {
    inputs: ['| Name | Type | Default | Description |', '|---|---|---|---|', ...inputs],
    outputs: ['| Name | Description |', '|---|---|', ...outputs],
  }
  return read('README.md').replaceAll(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${tables[name]?.join('\n')}\n\n${end}`,
  )
}

function blocksOf(text: string, type: string): Block[] {
  const blocks = [...text.matchAll(new RegExp(`^${type} "(\\w+)" \\{\\n([\\s\\S]*?)^\\}`, 'gm'))]
  if (blocks.length === 0) throw new Error(`There is no ${type} in the module`)
  return blocks.map(([, name = '', text = '']) => ({ name, text }))
}

/** Returns the value of an argument, with objects on one line. */
function argument({ name, text }: Block, wanted: string): string | undefined {
  const value = new RegExp(`^  ${wanted} += (.*\\{\\n[\\s\\S]*?^  \\}\\)|.*)$`, 'm').exec(text)?.[1]
  if (value === undefined && wanted === 'description') throw new Error(`${name} has no description`)
  const members = value?.replace(/\(\{\s+/, '({ ').replace(/\s+\}\)$/, ' })')
  return members?.replaceAll(/\n\s*/g, ', ').replaceAll(/ +/g, ' ')
}

const description = (block: Block) => JSON.parse(argument(block, 'description') ?? '') as string

const inputRow = (block: Block) =>
  `| \`${block.name}\` | \`${argument(block, 'type')}\` | ${defaultOf(block)} | ${description(block)} |`

function defaultOf(block: Block): string {
  const value = argument(block, 'default')
  return value === undefined ? 'required' : `\`${value}\``
}

const outputRow = (block: Block) => `| \`${block.name}\` | ${description(block)} |`
