import Anser from 'anser'
import classes from './ansi-text.module.css'

/** Shows a log line with ANSI colors. Text is never parsed as markup. */
export const AnsiText = ({ text }: { text: string }) =>
  Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map(({ content, fg, decorations }, index) => (
    <span key={index} className={[fg, ...decorations].flatMap((one) => classes[one] ?? []).join(' ') || undefined}>
      {content}
    </span>
  ))
