import GithubSlugger from 'github-slugger'
import MarkdownIt, { type Token } from 'markdown-it'
import Prism from 'prismjs'
import loadLanguages from 'prismjs/components/index.js'
import { resolveLink } from './pages.ts'

/** Part of a page below one heading. The first one has the title of the page. */
export type Section = { level: number; title: string; anchor: string; text: string }

export type RenderedPage = { html: string; title: string; sections: readonly Section[]; downloads: readonly string[] }

/** Languages that the documentation uses. */
loadLanguages(['bash', 'docker', 'hcl', 'json', 'nginx', 'python', 'sql', 'typescript', 'yaml'])

/** Languages of code blocks under the names that the highlighter knows. */
const languageNames: Readonly<Record<string, string>> = { expr: 'javascript', jsonc: 'json', sh: 'bash', text: 'plain' }

const markdown = new MarkdownIt({ html: false, highlight })

markdown.renderer.rules.fence = (tokens, index) => {
  const { content, info } = tokens[index] as Token
  const language = info.trim()
  const code = `<pre><code class="language-${language}">${highlight(content, language)}</code></pre>\n`
  return language === 'mermaid' ? diagram(content, code) : code
}
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

/**
 * Renders the document at `path`.
 * @throws if a code block has a language that the highlighter does not know, or the document has no title
 */
export function renderPage(path: string, text: string): RenderedPage {
  try {
    const tokens = markdown.parse(text, {})
    const sections = nameHeadings(tokens)
    const downloads = followLinks(path, tokens)
    const [first] = sections
    if (first === undefined) throw new Error('the document has no title')
    return { html: markdown.renderer.render(tokens, markdown.options, {}), title: first.title, sections, downloads }
  } catch (error) {
    throw new Error(`${path} cannot be rendered: ${(error as Error).message}`, { cause: error })
  }
}

/** Gives headings the anchors that the repository's host gives them, so that links are the same here and there. */
function nameHeadings(tokens: readonly Token[]): Section[] {
  const slugger = new GithubSlugger()
  const sections: Section[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1])
      const section = { level: Number(token.tag.slice(1)), title, anchor: slugger.slug(title), text: '' }
      token.attrSet('id', section.anchor)
      sections.push(section)
    } else if (tokens[index - 1]?.type !== 'heading_open') {
      const last = sections.at(-1)
      if (last) last.text += ` ${plainText(token)}`
    }
  }
  return sections
}

const plainText = (token: Token | undefined): string =>
  token?.children?.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('') ?? token?.content ?? ''

/** Points links at pages and downloads. Other files are not part of the guide: their links become text. */
function followLinks(path: string, tokens: readonly Token[]): string[] {
  const downloads: string[] = []
  for (const { children } of tokens) {
    if (!children) continue
    for (const [index, token] of children.entries()) {
      if (token.type !== 'link_open') continue
      const target = resolveLink(path, String(token.attrGet('href') ?? ''))
      if (target === undefined) {
        token.type = 'text'
        const end = children.slice(index).find(({ type }) => type === 'link_close')
        if (end) end.type = 'text'
      } else if ('download' in target) {
        downloads.push(target.download)
        token.attrSet('href', target.download.slice(target.download.lastIndexOf('/') + 1))
        token.attrSet('download', '')
      } else token.attrSet('href', target.page)
    }
  }
  return downloads
}

function highlight(code: string, info: string): string {
  const language = languageNames[info] ?? info
  if (language === '' || language === 'mermaid') return markdown.utils.escapeHtml(code)
  const grammar = Prism.languages[language]
  if (!grammar) throw new Error(`the highlighter does not know the language "${language}": load it in this file`)
  return Prism.highlight(code, grammar, language)
}

/** A diagram that the script of the guide draws. Until then, and without scripts, its source is shown. */
const diagram = (source: string, code: string) =>
  `<figure class="diagram" data-source="${markdown.utils.escapeHtml(source)}">${code}</figure>\n`
