import type { Root, RootContent, TableCell } from 'mdast'
import type { Nodes, Parents, Sentence, Root as TextRoot } from 'nlcst'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRetext from 'remark-retext'
import retextEnglish from 'retext-english'
import retextIndefiniteArticle from 'retext-indefinite-article'
import retextRepeatedWords from 'retext-repeated-words'
import retextSimplify from 'retext-simplify'
import { type Processor, unified } from 'unified'
import type { VFile } from 'vfile'
import { dialect } from './dialect.ts'
import { technicalTerms } from './exceptions.ts'

export const maxSentenceWords = 30

export type Finding = { line: number; message: string }

/** Returns what is wrong with the wording of a Markdown page, except in its code and its generated sections. */
export async function checkProse(markdown: string): Promise<Finding[]> {
  const file = await prose.process(withoutGenerated(markdown))
  return file.messages.map(({ line = 1, reason }) => ({ line, message: reason.replaceAll(/\s+/g, ' ') }))
}

/** Blanks generated sections, whose text comes from the schemas, and keeps the numbers of lines. */
const withoutGenerated = (markdown: string): string =>
  markdown.replaceAll(/<!-- generated: [\s\S]*?<!-- end -->/g, (section) => section.replaceAll(/[^\n]/g, ''))

const language = unified()
  .use(retextEnglish)
  .use(checkSentences)
  .use(retextSimplify, { ignore: [...technicalTerms] })
  .use(retextRepeatedWords)
  .use(retextIndefiniteArticle)

const prose = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(() => (tree: Root) => ({ ...tree, children: tree.children.flatMap(cellsAsParagraphs) }))
  .use(remarkRetext, language as unknown as Processor<TextRoot>) // its types do not know processors with transforms
  .use(function () {
    this.compiler = () => ''
  })

/** Replaces a table by its cells: remark-retext skips tables. */
const cellsAsParagraphs = (node: RootContent): RootContent[] =>
  node.type === 'table' ? node.children.flatMap((row) => row.children.map(asParagraph)) : [node]

const asParagraph = ({ children, position }: TableCell): RootContent => ({ type: 'paragraph', children, position })

/** Reports long sentences and phrases of the dialect. */
function checkSentences(): (tree: TextRoot, file: VFile) => undefined {
  return (tree, file) => {
    for (const sentence of sentencesOf(tree)) {
      const text = textOf(sentence)
      const wordCount = countWords(sentence)
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

/** Counts words; a code span is one. */
const countWords = (node: Nodes): number =>
  node.type === 'WordNode' || node.type === 'SourceNode'
    ? 1
    : childrenOf(node).reduce((sum, child) => sum + countWords(child), 0)

/** Returns the text of a node without its code spans. */
const textOf = (node: Nodes): string => {
  if (node.type === 'SourceNode') return '`'
  return 'value' in node ? node.value : childrenOf(node).map(textOf).join('')
}
