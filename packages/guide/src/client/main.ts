import { drawDiagrams, isDark } from './diagrams.ts'
import { startSearch } from './search.ts'
import './style.css'

const themeKey = 'sluice-guide-theme'
const root = document.documentElement

/** Applies the chosen theme. Without one the styles follow the system. */
function applyTheme(): void {
  const chosen = localStorage.getItem(themeKey)
  if (chosen !== null) root.dataset.theme = chosen
}

function switchTheme(): void {
  localStorage.setItem(themeKey, isDark() ? 'light' : 'dark')
  applyTheme()
  void drawDiagrams()
}

applyTheme()
document.querySelector('.theme')?.addEventListener('click', switchTheme)
const contents = document.querySelector<HTMLDetailsElement>('details.contents')
if (contents && matchMedia('(max-width: 56rem)').matches) contents.open = false
const current = contents?.querySelector<HTMLElement>('[aria-current]')
// Not `scrollIntoView`, which would scroll the page as well.
if (contents && current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2
startSearch()
void drawDiagrams()
