/** Returns a table in Markdown. */
export const markdownTable = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/**
 * Returns a page with each section between `<!-- generated: NAME -->` and `<!-- end -->` replaced by its generator's
 * output. `npm run docs` stores the result.
 */
export const withGeneratedSections = (page: string, generators: Readonly<Record<string, () => string>>): string =>
  page.replaceAll(/(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, name, end) => {
    const generate = generators[name]
    if (!generate) throw new Error(`No generator writes the section ${name}.`)
    return `${begin}\n${generate()}\n\n${end}`
  })
