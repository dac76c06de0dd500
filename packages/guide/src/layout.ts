import type { RenderedPage } from './markdown.ts'
import type { Contents } from './pages.ts'

/** Addresses of the files that every page loads. */
export type Assets = { script: string; style: string; searchIndex: string; diagrams: string }

type Layout = { page: string; rendered: RenderedPage; contents: Contents; assets: Assets }

/** Returns the HTML document of a page. */
export function layOut({ page, rendered, contents, assets }: Layout): string {
  const { title, html } = rendered
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Sluice</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body data-search-index="${assets.searchIndex}" data-diagrams="${assets.diagrams}">
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="./">Sluice <span>Documentation</span></a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<ol hidden></ol>
</div>
<nav aria-label="Sluice"><a href="/console/">Console</a><a href="/docs">API reference</a></nav>
<button type="button" class="theme">Theme</button>
</header>
<div class="columns">
<details class="contents" open><summary>Contents</summary>${contentsHtml(page, contents)}</details>
<main id="content" tabindex="-1">
<article>
${html}</article>
${neighbors(page, contents)}
</main>
${outline(rendered)}
</div>
</body>
</html>
`
}

const contentsHtml = (current: string, contents: Contents): string => {
  const groups = contents.map(({ title, pages }) => {
    const links = pages.map(({ title, page }) => {
      const mark = page === current ? ' aria-current="page"' : ''
      return `<li><a href="${page}"${mark}>${escapeHtml(title)}</a></li>`
    })
    return `<h2>${escapeHtml(title)}</h2>\n<ul>${links.join('\n')}</ul>`
  })
  return `<nav aria-label="Contents">${groups.join('\n')}</nav>`
}

/** Links to the sections of a page, two levels deep. */
function outline({ sections }: RenderedPage): string {
  const listed = sections.filter(({ level }) => level === 2 || level === 3)
  if (listed.length < 2) return ''
  const links = listed.map(
    ({ level, title, anchor }) => `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(title)}</a></li>`,
  )
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${links.join('\n')}</ul></nav>`
}

/** Links to the previous and the next page, in the order of the contents. */
function neighbors(current: string, contents: Contents): string {
  const pages = contents.flatMap((group) => group.pages)
  const index = pages.findIndex(({ page }) => page === current)
  if (index < 0) return ''
  const link = (to: (typeof pages)[number] | undefined, rel: string, label: string) =>
    to ? `<a rel="${rel}" href="${to.page}"><span>${label}</span> ${escapeHtml(to.title)}</a>` : ''
  const links = link(pages[index - 1], 'prev', 'Previous') + link(pages[index + 1], 'next', 'Next')
  return `<nav class="neighbors" aria-label="Previous and next page">${links}</nav>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
