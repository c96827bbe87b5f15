// download hands a text to the browser's downloads.
export function download(name: string, text: string, kind = 'application/json') {
  const at = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = document.createElement('a');
  [link.href, link.download] = [at, name];
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(at), 10_000);
}
