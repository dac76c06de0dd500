import type { Nodes as MarkdownNode } from 'mdast'
import { toNlcst } from 'mdast-util-to-nlcst'
import type { Nodes, Parents, Sentence, Root as TextRoot } from 'nlcst'
import { ParseEnglish } from 'parse-english'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import retextIndefiniteArticle from 'retext-indefinite-article'
import retextRepeatedWords from 'retext-repeated-words'
import retextSimplify from 'retext-simplify'
import { unified } from 'unified'
import { VFile } from 'vfile'
import { dialect } from '../lint-words/dialect.ts'
import { technicalTerms } from './technical-terms.ts'

export const maxSentenceWords = 30

const english = new ParseEnglish()

export type Finding = { line: number; message: string }

const markdown = unified().use(remarkParse).use(remarkGfm)

const rules = unified()
  .use(checkSentences)
  .use(retextSimplify, { ignore: [...technicalTerms] })
  .use(retextRepeatedWords)
  .use(retextIndefiniteArticle)

/**
 * Returns findings about the wording of a Markdown page. Skips code, generated sections, and emphasis, which marks
 * labels of the console.
 */
export async function checkProse(page: string): Promise<Finding[]> {
  const file = new VFile(withoutGenerated(page))
  for (const block of blocksOf(markdown.parse(file))) {
    await rules.run(toNlcst(block, file, english, { source: ['emphasis'] }) as TextRoot, file)
  }
  return file.messages.map(({ line = 1, reason }) => ({ line, message: reason.replaceAll(/\s+/g, ' ') }))
}

/** Blanks generated sections and titles of error codes, which come from the schemas, without changing line numbers. */
const withoutGenerated = (page: string): string =>
  page.replaceAll(/<!-- generated: [\s\S]*?<!-- end -->|^\*\*\d{3}\.\*\* .*$/gm, (text) =>
    text.replaceAll(/[^\n]/g, ''),
  )

/** Returns the content of paragraphs, headings and table cells. */
function blocksOf(node: MarkdownNode): MarkdownNode[] {
  if (node.type === 'paragraph' || node.type === 'heading') return [node]
  if (node.type === 'tableCell') return [{ ...node, type: 'paragraph' }] // the parser skips table text otherwise
  return 'children' in node ? node.children.flatMap((child) => blocksOf(child)) : []
}

/** Reports long sentences and phrases of the dialect. */
function checkSentences(): (tree: TextRoot, file: VFile) => undefined {
  return (tree, file) => {
    for (const sentence of sentencesOf(tree)) {
      const text = textOf(sentence)
      const wordCount = longest(sentence)
      if (wordCount > maxSentenceWords)
        file.message(`${wordCount} words in a sentence, at most ${maxSentenceWords}: "${text.slice(0, 60)}…"`, sentence)
      for (const { phrase, use } of dialect) {
        const [found] = phrase.exec(text) ?? []
        if (found) file.message(`"${found}": use ${use}`, sentence)
      }
    }
  }
}

const childrenOf = (node: Nodes): Nodes[] => ('children' in node ? (node as Parents).children : [])

const sentencesOf = (node: Nodes): Sentence[] =>
  node.type === 'SentenceNode' ? [node] : childrenOf(node).flatMap(sentencesOf)

/**
 * Returns the number of words of the longest sentence. The parser joins a sentence that starts with a code span to the
 * previous one.
 */
function longest(sentence: Sentence): number {
  let [current, most] = [0, 0]
  for (const [at, node] of sentence.children.entries()) {
    const [before, twoBefore] = [sentence.children[at - 1], sentence.children[at - 2]]
    const begins =
      node.type === 'SourceNode' && before?.type === 'WhiteSpaceNode' && twoBefore && /[.?!]$/.test(textOf(twoBefore))
    current = (begins ? 0 : current) + countWords(node)
    most = Math.max(most, current)
  }
  return most
}

/** Counts words. A code span counts as one. */
const countWords = (node: Nodes): number =>
  node.type === 'WordNode' || node.type === 'SourceNode'
    ? 1
    : childrenOf(node).reduce((sum, child) => sum + countWords(child), 0)

/** Returns the text of a node without its code spans. */
const textOf = (node: Nodes): string => {
  if (node.type === 'SourceNode') return '`'
  return 'value' in node ? node.value : childrenOf(node).map(textOf).join('')
}
