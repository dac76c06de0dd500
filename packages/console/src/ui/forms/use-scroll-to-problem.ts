import { type RefObject, useEffect } from 'react'

/** Invalid fields first, otherwise the error panel. */
const places = ['[aria-invalid="true"]', '[role="alert"]'] as const

/** Scrolls to the first problem when the server rejects a form. */
export function useScrollToProblem(form: RefObject<HTMLElement | null>, error: unknown): void {
  useEffect(() => {
    if (!error) return
    const fault = places.map((place) => form.current?.querySelector<HTMLElement>(place)).find(Boolean)
    fault?.scrollIntoView({ block: 'center' })
    fault?.focus({ preventScroll: true })
  }, [form, error])
}
