/** The style sheet of the ceremonies, in the colours of the console. */
export const OWNER_STYLE = `:root{color-scheme:light dark;--ink:#171a18;--soft:#4f5751;--line:#dfe2db;--edge:#7c857e;--paper:#f4f5f2;--card:#fff;--mark:#0b6e4f;--on-mark:#fff;--bad:#a8102a;--bad-back:#fbe9eb;--good-back:#e3f1ea;--field:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e9edea;--soft:#a9b2ac;--line:#2a312d;--edge:#707a73;--paper:#0e1110;--card:#151917;--mark:#5ad4a8;--on-mark:#06140e;--bad:#ff7f76;--bad-back:#351b19;--good-back:#13291f;--field:#151917}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
header{display:flex;align-items:center;gap:2rem;padding:1.1rem 1.5rem;border-bottom:1px solid var(--line);background:var(--card)}
header a{color:inherit;text-decoration:none}nav{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;font-size:.95rem}nav a{color:var(--soft);white-space:nowrap}nav a:hover{color:var(--mark)}nav a[aria-current]{color:var(--ink);font-weight:600}
.brand{font-weight:650;letter-spacing:-.01em}.brand i{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;background:var(--mark);margin-right:.55rem}
main{margin:0 auto;padding:3rem 1.5rem 4rem}main.narrow{max-width:28rem}main.wide{max-width:46rem}
h1,h2{overflow-wrap:anywhere}
h1{font-size:1.8rem;letter-spacing:-.02em;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.05rem;margin:0 0 .2rem}
.lead{color:var(--soft);margin:0 0 1.5rem}
section,form.card,.card{background:var(--card);border:1px solid var(--line);border-radius:.5625rem;padding:1.4rem;margin:0 0 1.2rem}
section>p:first-of-type{color:var(--soft);margin:.1rem 0 1rem;font-size:.95rem}
label{display:block;font-size:.92rem;font-weight:550;margin:0 0 1rem}
input{display:block;width:100%;margin-top:.35rem;padding:.65rem .8rem;font:inherit;font-weight:400;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:.4375rem}
input:focus-visible,button:focus-visible,a:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
input.code{font:600 1.5rem/1.4 ui-monospace,monospace;letter-spacing:.12em;text-align:center;text-transform:uppercase}
button{font:inherit;font-weight:600;padding:.65rem 1.1rem;border-radius:.4375rem;border:1px solid var(--edge);background:var(--card);color:var(--ink);cursor:pointer}
button:hover{border-color:var(--mark)}button.main{background:var(--mark);border-color:var(--mark);color:var(--on-mark)}button.main:hover{filter:brightness(1.08)}
button.wide{width:100%}button.bad{color:var(--bad)}button.small{padding:.35rem .75rem;font-size:.9rem}button[disabled]{opacity:.5;cursor:default}
.or{display:flex;align-items:center;gap:.8rem;color:var(--soft);font-size:.88rem;margin:1.1rem 0}.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.row{display:flex;flex-wrap:wrap;gap:.7rem;align-items:end}.row label{flex:1;min-width:12rem;margin:0}
.acts{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:baseline;margin-top:1rem}.acts details,.acts summary{margin:0}.acts p{margin:.6rem 0}
ul.list{list-style:none;margin:0 0 1rem;padding:0}ul.list li{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;justify-content:space-between;padding:.75rem 0;border-top:1px solid var(--line)}ul.list li:first-child{border-top:0;padding-top:.2rem}
ul.list b{display:block;font-weight:600;overflow-wrap:anywhere}ul.list span{color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
label small{display:block;margin-top:.35rem;color:var(--soft);font-weight:400;font-size:.86rem;line-height:1.45}.optional{color:var(--soft);font-weight:400;font-size:.85rem}
input[type=file]{padding:.5rem;font-size:.92rem}input::file-selector-button{font:inherit;font-weight:600;margin-right:.8rem;padding:.35rem .8rem;border-radius:.4rem;border:1px solid var(--edge);background:var(--card);color:var(--ink);cursor:pointer}
details{margin:0 0 1rem}summary{cursor:pointer;color:var(--soft);font-size:.92rem;margin-bottom:.9rem}summary:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
details.stop summary{display:inline-block;font-size:1rem;font-weight:600;padding:.65rem 1.1rem;border-radius:.4375rem;border:1px solid var(--edge);color:var(--bad)}details.stop:not([open]) summary{margin-bottom:0}
a.button{display:inline-block;flex:none;white-space:nowrap;font-size:.9rem;font-weight:600;padding:.35rem .75rem;border-radius:.4375rem;border:1px solid var(--edge);color:var(--ink);text-decoration:none}a.button:hover{border-color:var(--mark)}
ul.offers li{flex-wrap:nowrap;align-items:start}ul.offers li>span{white-space:nowrap}
.empty{color:var(--soft);margin:0 0 1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.45rem 1.2rem;margin:0 0 1.2rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.usercode{font:650 1.7rem/1 ui-monospace,monospace;letter-spacing:.12em;text-align:center;padding:1rem;border:1px dashed var(--line);border-radius:.6rem;margin:0 0 1.2rem}
.fault,.told{border-radius:.6rem;padding:.75rem 1rem;margin:0 0 1.2rem}.fault{background:var(--bad-back);color:var(--bad)}
.stopped{margin:0;padding:.7rem 1.5rem;background:var(--bad,#a3262a);color:#fff;text-align:center}.stopped a,.stopped code{color:inherit}.stopped a{text-decoration:underline}.told{background:var(--good-back);color:var(--mark)}
.note{color:var(--soft);font-size:.9rem;margin:1rem 0 0}.note a,.plain a{color:var(--mark)}
code{font:.9em ui-monospace,monospace;background:var(--paper);border:1px solid var(--line);border-radius:.35rem;padding:.1rem .35rem;white-space:nowrap}
.note code,dd code,section>p code{white-space:normal;overflow-wrap:anywhere}.note+section{margin-top:1.2rem}
section>p:last-child{margin-bottom:0}section>:last-child,.card>:last-child{margin-bottom:0}h1:last-child,h1+section,h1+.card,h1+form{margin-top:1.3rem}
select,textarea{display:block;width:100%;margin-top:.35rem;padding:.65rem .8rem;font:inherit;font-weight:400;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:.4375rem}textarea{resize:vertical}select{height:calc(1.55em + 1.3rem + 2px);text-overflow:ellipsis}select:focus-visible,textarea:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
input[type=checkbox],input[type=radio]{display:inline-block;flex:none;width:1.1rem;height:1.1rem;margin:.2rem .6rem 0 0;accent-color:var(--mark)}label.box{display:flex;align-items:start;font-weight:400;margin:0 0 .4rem;overflow-wrap:anywhere}.box>span{flex:1;min-width:0}.box small{margin:0}fieldset details{margin:0 0 .8rem 1.7rem}fieldset summary{margin-bottom:.3rem;font-size:.86rem}fieldset details p{margin:0}.note+button{margin-top:1rem}details .vault{margin-top:0}form+details{margin-top:1.2rem}fieldset{border:1px solid var(--line);border-radius:.4375rem;padding:.8rem 1rem .5rem;margin:0 0 1rem;min-width:0}legend{font-size:.92rem;font-weight:550;padding:0 .3rem;overflow-wrap:anywhere}
h3{font-size:.95rem;margin:1.1rem 0 .3rem;overflow-wrap:anywhere}article{border-top:1px solid var(--line);padding-top:.2rem;margin-top:1.2rem}article dl{margin:.8rem 0 0;font-size:.92rem}.soft{color:var(--soft);font-size:.9rem}ul.list span{display:block}ul.list a{color:var(--mark)}
pre{font:.88rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;overflow:hidden;margin:0}.words{border-left:3px solid var(--edge);background:var(--paper);border-radius:0 .4rem .4rem 0;padding:.6rem .8rem}bdi{overflow-wrap:anywhere}
.vault{margin-top:2rem}.vault label{flex:0 1 14rem}.on,.off{font-style:normal;color:var(--mark)}.off{color:var(--bad)}form.mint{margin-top:1.4rem}.mint .row{margin:1rem 0 1.2rem}#decide details{flex:1 1 100%}#decide summary{display:inline-block;color:var(--ink);font-weight:600;padding:.5rem 1rem;border:1px solid var(--edge);border-radius:.4375rem}#decide [open] summary{margin-bottom:.6rem;border-color:var(--mark)}#decide p{margin:.3rem 0 .9rem}
.once{border:2px solid var(--mark)}.bearer{display:block;white-space:normal;overflow-wrap:anywhere;user-select:all;padding:.8rem;margin:0 0 1rem;font-size:.95rem}
ul.allows{list-style:none;margin:0;padding:0}ul.allows li{display:flex;gap:.9rem;padding:.55rem 0;border-top:1px solid var(--line)}ul.allows li:first-child{border-top:0}ul.allows b{flex:none;width:2.6rem;color:var(--mark);font-size:.92rem}ul.allows .no b{color:var(--bad)}ul.allows .asks b{color:inherit}ul.allows span{flex:1;min-width:0;overflow-wrap:anywhere}
[hidden]{display:none!important}
@media(max-width:32rem){main{padding-top:2rem}header{gap:1rem;flex-wrap:wrap}dl{grid-template-columns:1fr;gap:.1rem}dd{margin-bottom:.6rem}ul.offers li{flex-wrap:wrap}ul.offers li>div{flex-basis:100%}}`
