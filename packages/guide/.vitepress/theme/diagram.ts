import drawer from '@mermaid-js/tiny/dist/mermaid.tiny.js?url'
import { useData } from 'vitepress'
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue'

/** What that script puts into the page; it has no types of its own. */
type Mermaid = {
  initialize(settings: object): void
  render(id: string, source: string): Promise<{ svg: string }>
}

/**
 * A diagram as a picture, in the colours of the page. Its source, which the slot shows, is what stands there until it
 * is drawn, and where it cannot be; afterwards it can be opened below the picture.
 */
export const Diagram = defineComponent({
  props: {
    /** In the language of Mermaid, encoded as a part of an address. */
    source: { type: String, required: true },
  },
  setup({ source }, { slots }) {
    const { isDark } = useData()
    const id = `diagram-${useId()}`
    const picture = ref<string>()

    async function draw(): Promise<void> {
      const mermaid = await loaded()
      mermaid.initialize({ ...settings, theme: isDark.value ? 'dark' : 'default' })
      const { svg } = await mermaid.render(id, decodeURIComponent(source))
      picture.value = svg
    }
    onMounted(() => watch(isDark, draw, { immediate: true }))

    return () => {
      const text = slots.default?.()
      if (picture.value === undefined) return text
      return h('figure', { class: 'diagram' }, [
        h('div', { class: 'picture', role: 'group', ariaLabel: 'Diagram', tabindex: 0, innerHTML: picture.value }),
        h('details', [h('summary', 'As text'), text]),
      ])
    }
  },
})

const settings = {
  startOnLoad: false,
  suppressErrorRendering: true,
  securityLevel: 'strict',
  fontFamily: 'inherit',
  // As narrow as its messages allow: what is wider than the page is drawn smaller.
  sequence: {
    width: 100,
    diagramMarginX: 0,
    actorMargin: 10,
    wrapPadding: 4,
    messageFontSize: 14,
    mirrorActors: false,
  },
}

let loading: Promise<Mermaid> | undefined

/** The script, which is large: asked for by the first page that has a diagram. */
const loaded = (): Promise<Mermaid> =>
  (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.onload = () => resolve(Reflect.get(globalThis, 'mermaid'))
    script.onerror = () => reject(new Error(`${drawer} could not be loaded`))
    script.src = drawer
    document.head.append(script)
  }))
