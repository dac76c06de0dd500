import { openIndex } from '../search.ts'

const maxResults = 12

let loading: Promise<ReturnType<typeof openIndex>> | undefined

/** Loads the index when the field is used first. */
const loadIndex = () =>
  (loading ??= fetch(document.body.dataset.searchIndex ?? '')
    .then((response) => response.text())
    .then(openIndex))

/** Connects the search field of the page. Slash and Ctrl+K focus it; the arrow keys choose a result. */
export function startSearch(): void {
  const input = document.querySelector<HTMLInputElement>('.search input')
  const list = document.querySelector<HTMLOListElement>('.search ol')
  if (!input || !list) return

  const show = async () => {
    const query = input.value.trim()
    const results = query === '' ? [] : (await loadIndex()).search(query).slice(0, maxResults)
    if (query !== input.value.trim()) return
    list.hidden = query === ''
    list.replaceChildren(
      ...(results.length === 0
        ? [noResult(query)]
        : results.map(({ id, title, parents }) => resultItem({ id, title, parents }))),
    )
  }
  const close = () => {
    list.hidden = true
  }
  input.addEventListener('focus', () => void loadIndex())
  input.addEventListener('input', () => void show())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click()
  })
  list.parentElement?.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event, input, list)
  })
  list.addEventListener('click', close)
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !list.parentElement?.contains(target)) close()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if ((event.key !== '/' || isTyping) && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    input.focus()
  })
}

function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLOListElement): void {
  const places: (Element | null)[] = [input, ...list.querySelectorAll('a')]
  const by = event.key === 'ArrowDown' ? 1 : -1
  const current = places.indexOf(document.activeElement)
  event.preventDefault()
  const next = places[(current + by + places.length) % places.length]
  if (next instanceof HTMLElement) next.focus()
}

function resultItem({ id, title, parents }: { id: string; title: string; parents: string }): HTMLLIElement {
  const link = document.createElement('a')
  link.href = id
  link.textContent = title
  if (parents !== '') {
    const where = document.createElement('span')
    where.textContent = parents
    link.append(where)
  }
  const item = document.createElement('li')
  item.append(link)
  return item
}

function noResult(query: string): HTMLLIElement {
  const item = document.createElement('li')
  item.textContent = `Nothing contains “${query}”.`
  return item
}
