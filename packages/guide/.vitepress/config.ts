import { readFileSync } from 'node:fs'
import GithubSlugger from 'github-slugger'
import { defineConfig, type MarkdownOptions } from 'vitepress'
import { searchOptions } from '../search-options.ts'

/** Headings have the anchors that the repository's host gives them: links to them are the same here and there. */
const slugify = (heading: string) => new GithubSlugger().slug(heading)

/** The contents, as the first page lists them: a heading is a group, a link is a page. */
function sidebar() {
  const contents = readFileSync(new URL('../pages/index.md', import.meta.url), 'utf8')
  return contents
    .split(/^## /m)
    .slice(1)
    .map((group) => ({
      text: group.slice(0, group.indexOf('\n')),
      items: [...group.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(([, text = '', page = '']) => ({
        text,
        link: `/${page.replace(/\.md$/, '')}`,
      })),
    }))
}

/** A block of Mermaid is drawn by the theme, which gets its source beside the block as it is usually shown. */
const drawDiagrams: MarkdownOptions['config'] = ({ renderer }) => {
  const usual = renderer.rules.fence
  renderer.rules.fence = (tokens, index, ...rest) => {
    const block = usual?.(tokens, index, ...rest) ?? ''
    const { info, content } = tokens[index] ?? { info: '', content: '' }
    return info === 'mermaid' ? `<Diagram source="${encodeURIComponent(content)}">${block}</Diagram>` : block
  }
}

/** Keeps Vue from evaluating `{{ … }}`, which documentation shows as part of other template languages. */
const showBraces: MarkdownOptions['config'] = ({ renderer }) => {
  for (const rule of ['text', 'code_inline'] as const) {
    const usual = renderer.rules[rule]
    renderer.rules[rule] = (...args) => usual?.(...args).replaceAll('{{', '&#123;&#123;') ?? ''
  }
}

export default defineConfig({
  base: '/docs/guide/',
  srcDir: './pages',
  outDir: './dist',
  title: 'Sluice',
  description: 'Infrastructure delivery that waits where a person decides.',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Scripts are files of their own, which the server's policy for pages allows; see interface/guide of the server.
  metaChunk: true,
  markdown: {
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    config(markdown) {
      drawDiagrams(markdown)
      showBraces(markdown)
    },
    // Languages that no highlighter knows, as it shall show them.
    languageAlias: { expr: 'js', caddyfile: 'nginx' },
  },
  themeConfig: {
    nav: [
      { text: 'Console', link: '/../../console/', target: '_self' },
      { text: 'Interface', link: '/../../docs/', target: '_self' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions } },
    },
  },
})
