import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** Path of the page whose heading was shown last. The browser itself handles the focus of the first page. */
let shownPath: string | undefined

/** Elements in which the user may already be typing or deciding. */
const inUse = 'input, textarea, select, [contenteditable=true], [role=dialog] *'

/** Returns a ref for the heading of a page. It gets the focus when the user navigates to the page. */
export function useFocusAfterNavigation(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (path === undefined || path === shownPath) return
    const isFirst = shownPath === undefined
    shownPath = path
    if (!isFirst && !document.activeElement?.matches(inUse)) heading.current?.focus({ preventScroll: true })
  }, [path])
  return heading
}
