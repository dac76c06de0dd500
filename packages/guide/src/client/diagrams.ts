/** The library that draws diagrams. It has no types of its own. */
type Mermaid = {
  initialize(settings: object): void
  render(id: string, source: string): Promise<{ svg: string }>
}

const settings = {
  startOnLoad: false,
  suppressErrorRendering: true,
  securityLevel: 'strict',
  fontFamily: 'inherit',
  // As narrow as the messages allow: a diagram that is wider than the page is drawn smaller.
  sequence: {
    width: 100,
    diagramMarginX: 0,
    actorMargin: 10,
    wrapPadding: 4,
    messageFontSize: 14,
    mirrorActors: false,
  },
}

/** Reports whether the page is dark, by the user's choice or the system's. */
export function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
}

/** Draws the diagrams of the page in the colors of its theme. The source of each stays below the picture. */
export async function drawDiagrams(): Promise<void> {
  const figures = [...document.querySelectorAll<HTMLElement>('.diagram')]
  if (figures.length === 0) return
  const mermaid = await load()
  mermaid.initialize({ ...settings, theme: isDark() ? 'dark' : 'default' })
  for (const [index, figure] of figures.entries()) {
    const { svg } = await mermaid.render(`diagram-${index}`, figure.dataset.source ?? '')
    pictureOf(figure).innerHTML = svg
  }
}

/** Returns the element for the picture. The first call folds the source below it. */
function pictureOf(figure: HTMLElement): Element {
  const found = figure.querySelector('.picture')
  if (found) return found
  const picture = document.createElement('div')
  picture.className = 'picture'
  picture.tabIndex = 0
  picture.setAttribute('role', 'group')
  picture.setAttribute('aria-label', 'Diagram')
  const fold = document.createElement('details')
  const summary = document.createElement('summary')
  summary.textContent = 'As text'
  fold.append(summary, ...figure.childNodes)
  figure.append(picture, fold)
  return picture
}

let loading: Promise<Mermaid> | undefined

/** Loads the library, which is large, on the first page with a diagram. */
const load = (): Promise<Mermaid> =>
  (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.onload = () => resolve(Reflect.get(globalThis, 'mermaid'))
    script.onerror = () => reject(new Error(`${script.src} could not be loaded`))
    script.src = document.body.dataset.diagrams ?? ''
    document.head.append(script)
  }))
